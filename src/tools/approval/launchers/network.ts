import { ALL, type Launcher, type Launchers } from './launcher.ts'

const HOST_FIRST = /^[^/]*:/
const NOT_HTTP = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i
/** Options of ssh that neither name a program or file nor weaken who is talked to. */
const SSH_OPTION =
  /^(?!(batchmode|connecttimeout|connectionattempts|serveralive\w+|loglevel|port|user|tcpkeepalive|compression)\b)/i

const CURL: Launcher = {
  options:
    '-o --output -O --remote-name --remote-name-all -J --remote-header-name --output-dir -K --config -T --upload-file -D --dump-header -c --cookie-jar -x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --proxy1.0 --resolve --connect-to --doh-url --dns-servers --interface --unix-socket --abstract-unix-socket -n --netrc --netrc-file --netrc-optional -E --cert --key --engine --trace --trace-ascii --stderr --libcurl --etag-save --etag-compare --hsts --alt-svc --url --next -: --variable --create-dirs --ipfs-gateway -Q --quote',
  when: [
    ['-d --data --data-ascii --data-binary --data-urlencode --json --url-query', /@/],
    ['-H --header --proxy-header', /^@/],
    ['-F --form', /[@<]/],
    ['-b --cookie', /^[^=]*$/],
    ['-w --write-out', /^@|%output/],
  ],
  values:
    '-X --request -A --user-agent -e --referer -m --max-time -u --user -r --range -y -Y -z -C -P -t --data-raw --connect-timeout --retry --retry-delay --retry-max-time --max-redirs --limit-rate --cacert --capath --ciphers --max-filesize',
  flags:
    '-s -S -f -L -k -i -I -v -g -G -# -4 -6 -N -a -j -l -p -q -R -0 -1 -2 -3 --silent --show-error --fail --fail-with-body --location --insecure --include --head --verbose --get --compressed --globoff --http1.1 --http2 --http3 --no-buffer --no-progress-meter --progress-bar --tcp-nodelay --ipv4 --ipv6 --tlsv1.2 --tlsv1.3 --ssl-reqd',
  words: NOT_HTTP,
  maxOperands: 1,
}

const WGET: Launcher = {
  options:
    '-O --output-document -P --directory-prefix -i --input-file --post-file --body-file --use-askpass -e --execute --config -o --output-file -a --append-output --load-cookies --save-cookies --warc-file --rejected-log --hsts-file -B --base --certificate --private-key --bind-address --dns-servers',
  values:
    '-t -T -w -Q -U -A -R -D -X -l -I --header --timeout --tries --user-agent --method --post-data --body-data',
  flags:
    '-q -v -c -N -S -4 -6 -r -k -p -m --quiet --spider --no-verbose --no-check-certificate --continue --timestamping --server-response --recursive --mirror',
  words: NOT_HTTP,
  maxOperands: 1,
}

export const NETWORK_LAUNCHERS: Launchers = {
  curl: CURL,
  wget: WGET,
  'http https httpie xh': {
    options: '-o --output -d --download --session --proxy --cert --verify',
    words: /@/,
  },
  'ssh autossh': {
    options: '-F -L -R -D -W -w -J -S -E -I -A -X -Y',
    when: [['-o', SSH_OPTION]],
    values: '-p -l -i -b -c -e -m -O -Q -B -P',
    flags: '-4 -6 -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -x -y',
    words: /^[^-]/,
    runs: 1,
  },
  'scp sftp': {
    options: '-S -F -J -D -b -s -X',
    when: [['-o', SSH_OPTION]],
    values: '-P -i -c -l',
    words: HOST_FIRST,
  },
  rsync: {
    options:
      '-e --rsh --rsync-path -M --remote-option --daemon --config --log-file --write-batch --only-write-batch --read-batch --password-file --files-from -T --temp-dir --early-input',
    words: HOST_FIRST,
    values: '-B -f --exclude --include --filter',
    flags: '-a -v -z -r -l -p -t -g -o -D -n -u -h -P -x -H -A -X -S -q -c -i -R -L -m',
  },
  mosh: { options: '--ssh --server --client', words: /^[^-]/ },
  'ssh-keygen ssh-add': { options: '-D -s -S -w -f -e' },
  'nc ncat netcat telnet ftp tftp': ALL,
  openssl: {
    oneDash: true,
    options: '-config -out -keyout -writerand -connect -proxy',
    words: /^--?(engine|provider)|^(s_client|s_server|s_time|engine|ocsp|cmp)$/,
  },
  gpg: {
    options:
      '-o --output --photo-viewer --keyserver --homedir --options --agent-program --dirmngr-program --log-file --logger-file --exec-path --load-extension --auto-key-locate',
  },
  tcpdump: { options: '-z -w -F' },
  nmap: { oneDash: true, options: '-oN -oG -oX -oA -oS --resume --datadir -iL', words: /^--?script/ },
}
