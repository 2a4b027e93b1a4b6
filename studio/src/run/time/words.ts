export const TIME_WORDS = {
  en: {
    time: 'Time travel',
    play: 'Play the run again',
    pause: 'Pause',
    speed: 'Speed',
    event: 'Event',
    back: 'One event back',
    on: 'One event on',
    now: 'Now',
  },
  zh: {
    time: '时间旅行',
    play: '重新播放',
    pause: '暂停',
    speed: '速度',
    event: '事件',
    back: '后退一个事件',
    on: '前进一个事件',
    now: '最新',
  },
}
