export const TREE_WORDS = {
  en: {
    tree: 'The tree of the run',
    fit: 'Show all of the tree',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    unfold: 'Unfold',
    follow: 'Follow',
    todo: (n: number) => `${n} to do`,
  },
  zh: {
    tree: '运行的推理树',
    fit: '显示整棵树',
    zoomIn: '放大',
    zoomOut: '缩小',
    unfold: '展开',
    follow: '跟随',
    todo: (n: number) => `待办 ${n}`,
  },
}
