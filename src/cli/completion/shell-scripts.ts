/**
 * The scripts that make shells complete `thinkon`: they ask `thinkon completion next -- <words>` what may follow, which answers
 * with one candidate on each line, a tab and its help; or with `:files` or `:folders`.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Written with `@{` for what a template would fill in. */
function shell(text: TemplateStringsArray): string {
  return String.raw(text).replaceAll('@{', '${')
}

const bash = shell`# thinkon in bash: add to ~/.bashrc
#   source <(thinkon completion bash)
_thinkon() {
  local words=() word glued= i line typed prefix path kind=f
  # bash has taken words apart at : and =
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=@{COMP_WORDS[i]}
    if [[ @{#words[@]} -gt 0 && ( -n $glued || $word == [:=] ) ]]; then
      words[-1]+=$word
      [[ $word == [:=] ]] && glued=1 || glued=
    else
      words+=("$word")
    fi
  done
  typed=@{words[-1]}
  prefix=@{typed%"@{typed##*[:=]}"}
  path=$typed
  [[ $typed == --*=* ]] && path=@{typed#*=}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files | :folders)
        compopt -o filenames
        [[ $line == :folders ]] && kind=d
        mapfile -t COMPREPLY < <(compgen -$kind -- "$path")
        prefix=@{path%"@{path##*[:=]}"}
        COMPREPLY=("@{COMPREPLY[@]#"$prefix"}")
        ;;
      *)
        line=@{line%%$'\t'*}
        [[ $line == *[:=] ]] && compopt -o nospace
        COMPREPLY+=("@{line#"$prefix"}")
        ;;
    esac
  done < <("@{COMP_WORDS[0]}" completion next -- "@{words[@]}" 2>/dev/null)
} 2>/dev/null
complete -o nosort -F _thinkon thinkon 2>/dev/null || complete -F _thinkon thinkon`

const zsh = shell`#compdef thinkon
# thinkon in zsh: add to ~/.zshrc, after compinit
#   source <(thinkon completion zsh)
_thinkon() {
  local -a lines described open
  local line text
  lines=("@{(@f)$("@{words[1]}" completion next -- "@{(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    '') return 1 ;;
    :files) compset -P '--*='; _files; return ;;
    :folders) compset -P '--*='; _files -/; return ;;
  esac
  for line in "@{lines[@]}"; do
    line=@{line//\\/\\\\}
    text=@{line%%$'\t'*}
    line="@{text//:/\\:}:@{line#*$'\t'}"
    if [[ $text == *[:=] ]]; then open+=("$line"); else described+=("$line"); fi
  done
  _describe -V -t thinkon 'thinkon' described -- open -S ''
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _thinkon "$@"; else compdef _thinkon thinkon; fi`

const fish = shell`# thinkon in fish:
#   thinkon completion fish > ~/.config/fish/completions/thinkon.fish
function __thinkon_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] completion next -- $words[2..-1] 2>/dev/null)
    set -l option (string match -r -- '^--[^=]+=' $words[-1]; or echo)
    set -l path (string replace -r -- '^--[^=]+=' '' $words[-1])
    switch "$found[1]"
        case :files
            printf '%s\n' $option(__fish_complete_path "$path")
        case :folders
            printf '%s\n' $option(__fish_complete_directories "$path")
        case '*'
            printf '%s\n' $found
    end
end
complete -c thinkon -f -k -a '(__thinkon_complete)'`

export const SCRIPTS: Record<Shell, string> = { bash, zsh, fish }
