/** How the page of the API looks: light or dark as the reader's system is, with its contents at the side where there is room. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--line:light-dark(#e3e5ea,#30343c);--soft:light-dark(#f6f7f9,#1a1d22);--text:light-dark(#1c2026,#e4e7ec);
--dim:light-dark(#656d79,#98a1ae);--link:light-dark(#1d5fd1,#7db1ff);--page:light-dark(#fff,#121418)}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 system-ui,sans-serif;color:var(--text);background:var(--page);display:grid;grid-template-columns:19rem minmax(0,1fr)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}p code,td code{background:var(--soft);padding:.1em .35em;border-radius:4px}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.2rem 1rem;border-right:1px solid var(--line);background:var(--soft)}
nav h2{font-size:.72rem;letter-spacing:.06em;text-transform:uppercase;color:var(--dim);margin:1.3rem 0 .3rem}
nav ul{list-style:none;margin:0;padding:0;font-size:13px}nav a{color:inherit;display:flex;align-items:center;padding:.17rem .3rem;border-radius:5px}
nav a:hover{background:var(--line);text-decoration:none}nav code{font-size:12px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav .name{font-weight:650;font-size:1.05rem}
main{max-width:58rem;padding:1.5rem 2.5rem 6rem}h1{font-size:1.7rem;margin:0 0 .5rem}small{font-weight:400;color:var(--dim);font-size:.8em}
h2.group{margin:2.8rem 0 1rem;padding-bottom:.3rem;border-bottom:2px solid var(--line)}
section{border:1px solid var(--line);border-radius:9px;padding:.9rem 1.2rem;margin:0 0 1rem}section:target{border-color:var(--link)}
h3{margin:0 0 .4rem;font-size:1rem;display:flex;align-items:center;overflow-wrap:anywhere}h3 code{font-size:14px;font-weight:600}
h4{margin:1.1rem 0 .3rem;font-size:.9rem}section p{margin:.3rem 0 .6rem}
.method{flex:none;display:inline-block;width:3rem;margin-right:.55rem;text-align:center;font:600 10.5px/1.7 system-ui,sans-serif;border-radius:4px;color:#fff;background:#2f6fdd}
.method.post{background:#1f8a4c}.method.delete{background:#c2403d}
.status{font:600 12px/1 ui-monospace,monospace;padding:.15rem .4rem;border-radius:4px;background:var(--soft);border:1px solid var(--line)}
table{border-collapse:collapse;width:100%;margin:.4rem 0;font-size:14px}td{border-top:1px solid var(--line);padding:.35rem .7rem .35rem 0;vertical-align:top}
td:first-child{white-space:nowrap;width:12rem}details{margin:.3rem 0}summary{cursor:pointer;color:var(--dim);font-size:13px}
pre{margin:.4rem 0;padding:.7rem;overflow:auto;background:var(--soft);border:1px solid var(--line);border-radius:7px}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem}table,tbody,tr,td{display:block}td{border:0;padding:.1rem 0}tr{border-top:1px solid var(--line);padding:.3rem 0;display:block}}
@media print{nav{display:none}body{display:block}}`
