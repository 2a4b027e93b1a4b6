/** Colours of the SVG, for light pages and, if the reader's system prefers it, for dark ones. */

const LIGHT = `
.page{fill:#ffffff;stroke:#e4e6ea}
.head{font-size:18px;font-weight:600;fill:#1b1f24}
.caption{font-size:12.5px;fill:#6a737d}
.result{font-size:15px;font-weight:600;fill:#17692f}
.edge{fill:none;stroke:#b4bcc6;stroke-width:1.4}
.edge.best{stroke:#1f9d4d;stroke-width:3}
.edge.pruned,.edge.merged{stroke:#d3d7dc;stroke-dasharray:4 4}
.edge.fold{stroke:#d3d7dc;stroke-dasharray:1 4}
.node rect{fill:#f7f9fb;stroke:#b4bcc6;stroke-width:1.2}
.node text{fill:#24292f}
.node.kept rect{fill:#eef5ff;stroke:#7ba6dd}
.node.best rect{fill:#e8f8ee;stroke:#1f9d4d;stroke-width:2}
.node.best text{fill:#0f3d20;font-weight:600}
.node.good rect{fill:#f0faf3;stroke:#69b98a}
.node.warn rect{fill:#fff7e0;stroke:#d4a72c}
.node.bad rect{fill:#fff0ef;stroke:#dd6b66}
.node.active rect{fill:#e9f7fb;stroke:#3aa3bd}
.node.pruned rect,.node.merged rect{fill:#fafafa;stroke:#c9ced4;stroke-dasharray:4 3}
.node.merged rect{stroke-dasharray:1.5 3}
.node.pruned text,.node.merged text,.node.fold text{fill:#8b949e}
.node .pill,.node.pruned .pill,.node.merged .pill{stroke:none;fill:#e6ebf1}
.node.best .pill{stroke:none;fill:#1f9d4d}
.node.kept .pill{stroke:none;fill:#d3e4fa}
.node.good .pill{stroke:none;fill:#cfeedb}
.node.warn .pill{stroke:none;fill:#fbe6a9}
.node.bad .pill{stroke:none;fill:#fbd3d0}
.node.active .pill{stroke:none;fill:#c5eaf3}
.node .score{text-anchor:middle;font-size:12px;font-weight:600}
.node.best .score{fill:#ffffff}`

const DARK = `
.page{fill:#0f141a;stroke:#262d36}
.head{fill:#e8edf2}
.caption{fill:#8f9baa}
.result{fill:#5fd38a}
.edge{stroke:#4a5562}
.edge.best{stroke:#37b866}
.edge.pruned,.edge.merged,.edge.fold{stroke:#333c47}
.node rect{fill:#19212a;stroke:#4a5562}
.node text{fill:#d7dee6}
.node.kept rect{fill:#16263b;stroke:#4f7fba}
.node.best rect{fill:#11301d;stroke:#37b866}
.node.best text{fill:#d4f5df}
.node.good rect{fill:#13261a;stroke:#3c8a5a}
.node.warn rect{fill:#2c2410;stroke:#a88422}
.node.bad rect{fill:#331a19;stroke:#b55350}
.node.active rect{fill:#10282f;stroke:#2f8ba3}
.node.pruned rect,.node.merged rect{fill:#13181e;stroke:#3a434e}
.node.pruned text,.node.merged text,.node.fold text{fill:#717d8a}
.node .pill,.node.pruned .pill,.node.merged .pill{fill:#29323d}
.node.best .pill{fill:#2a9a54}
.node.kept .pill{fill:#24426a}
.node.good .pill{fill:#1f4a30}
.node.warn .pill{fill:#51410f}
.node.bad .pill{fill:#5a2927}
.node.active .pill{fill:#184854}`

export const SVG_STYLE = `
text{font:13px system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC","DejaVu Sans",sans-serif}${LIGHT}
@media (prefers-color-scheme:dark){${DARK}
}
`
