/** Archives, filters, databases, editors and pagers, which write a file or run something if told so. */
import type { Launchers } from './launcher.ts'

export const FILE_LAUNCHERS: Launchers = {
  'tar gtar bsdtar': {
    bareGroup: true,
    options:
      '--to-command --checkpoint-action -I --use-compress-program --rsh-command --rmt-command -F --info-script --new-volume-script -T --files-from -P --absolute-names --index-file --volno-file',
    when: [['-f --file', /:/]],
    values: '-C -b -g -H -K -L -N -V -X --directory --exclude --transform --strip-components',
    flags: '-x -c -t -z -j -J -v -p -k -h -a -m -O -r -u -w -d --checkpoint',
  },
  cpio: { options: '--rsh-command -O -I -F -E --file --to-command' },
  zip: { words: /^-\w*TT|^--u/ },
  'awk gawk mawk nawk': {
    options:
      '-f --file -l --load -i --include -E --exec -D --debug -o --pretty-print -p --profile -d --dump-variables -W',
    script: '-e --source',
    values: '-F -v --field-separator --assign',
    flags: '-P -b -n -O -s -t --posix --csv',
    isHarmless: isHarmlessAwk,
  },
  'sed gsed': {
    options: '-f --file',
    switches: '-i --in-place',
    script: '-e --expression',
    values: '-l --line-length',
    flags:
      '-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox',
    isHarmless: (script) => HARMLESS_SED.test(script),
  },
  'sort gsort': {
    options: '-o --output --compress-program -T --temporary-directory --files0-from',
    values: '-k -t -S',
    flags: '-n -r -u -f -h -V -b -d -g -M -R -c -C -m -s -z -i',
  },
  split: { options: '--filter' },
  xxd: { maxOperands: 1 },
  uniq: { maxOperands: 1, values: '-f -s -w', flags: '-c -d -D -u -i -z' },
  'shuf iconv tree xmllint xsltproc dot': { options: '-o --output' },
  tee: { words: /^[^-]/ },
  dd: { words: /^of=/ },
  patch: { options: '-o --output -e --ed -r --reject-file -d --directory -i --input -B' },
  install: { options: '--strip-program -s' },
  'rg ripgrep': { options: '--pre --hostname-bin', values: '-e -f -g -t -T -r -A -B -C -m --regexp --glob' },
  'ag ack bat': { options: '--pager --output --generate-config-file' },
  yq: { options: '-i --inplace -s --split-exp' },
  ctags: { options: '--options -o -f' },
  pandoc: {
    options:
      '-F --filter -L --lua-filter --pdf-engine --pdf-engine-opt -o --output -d --defaults --data-dir --extract-media --template',
    words: /\.lua$|:\/\//,
  },
  'latex pdflatex xelatex lualatex tex pdftex': {
    oneDash: true,
    options: '-output-directory -lua',
    words: /^\\|shell-?escape|write18/,
  },
  gs: { words: /pipe|NOSAFER|^-o|^-s(Output|stdout)/i },
  'convert magick mogrify identify': { words: /^(msl|ephemeral|mvg|text|https?|ftp|url|@)|:msl|-write/i },
  m4: { words: /syscmd|^-I|^--include/ },
  sqlite: {
    oneDash: true,
    options: '-cmd -init -A -append -archive',
    words:
      /(?:^|\n)[ \t]*\.(?!(?:tables|schema|indexes|indices|headers?|mode|databases|dump|fullschema|width|show|help)\b)[a-z]|load_extension|writefile|readfile|\bedit\s*\(|attach|vacuum\s+into/i,
  },
  psql: {
    options: '-f --file -o --output -L --log-file -h --host -d --dbname',
    words: /\\|\bprogram\b|:\/\//i,
  },
  'mysql mariadb': {
    options:
      '-h --host --pager --tee --init-command --plugin-dir --defaults-file --defaults-extra-file --login-path',
    words: /\\|\b(system|source|outfile|dumpfile|load_file|local\s+infile)\b/i,
  },
  'mongo mongosh redis-cli': { options: '--eval -f --host -h -u -x', words: /:\/\/|\.js$/ },
  'vim vi nvim view gvim vimdiff': {
    options: '-c --cmd -S -s -u -U -w -W -i -q --remote --listen -es',
    words: /^\+/,
  },
  emacs: {
    options: '-l --load -f --funcall --eval --execute --script',
    words: /^\+|^-(l|f|eval|funcall|load|script)/,
  },
  'less more most': {
    options: '-k --lesskey-file --lesskey-src -o -O --log-file --LOG-FILE -t --tag',
    words: /^\+/,
  },
  man: { options: '-P --pager -H --html -C --config-file -M --manpath -X -T --troff-device -l' },
  crontab: { options: '-e -r', words: /^[^-]|^-$/ },
}

/** Runs no command, and writes and reads no file of its own. */
function isHarmlessAwk(script: string): boolean {
  if (/system|getline|@/.test(script)) return false
  const printed = script.indexOf('print')
  return printed === -1 || !/[>|]/.test(script.slice(printed).replaceAll('||', ''))
}

/**
 * Nothing but the commands that only change the text, with addresses. A bracket must be closed before the delimiter: whether
 * that counts inside of one differs between the versions of sed.
 */
const HARMLESS_SED = harmlessSed()

function harmlessSed(): RegExp {
  // One that begins with a bracket or a caret is left to a person: it could be read in two ways.
  const bracket = String.raw`\[\^?(?![\]^])[^\]\\/\n]+\]`
  const address = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:${bracket}|[^/[\\\n]|\\[^\n])+\/[IM]*)`
  const searched = String.raw`(?:\[\^?(?![\]^])(?:(?!\1)[^\]\\\n])+\]|(?!\1)[^[\\\n]|\\[^\n])*`
  const replaced = String.raw`(?:(?!\1)[^\\\n]|\\[\s\S])*`
  const substitute = String.raw`s([^\w\s\\;{}[\]])${searched}\1${replaced}\1[gpiIm0-9]*`
  const command = String.raw`(?:[pdDgGhHnNxFz=]|[qQ]\d*|${substitute})(?=[\s;}]|$)`
  return new RegExp(String.raw`^(?:[\s;{}]|(?:${address}(?:,(?:[+~]\d+|${address}))?)?!?${command})*$`)
}
