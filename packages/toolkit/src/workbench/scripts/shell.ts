/** The operations for a POSIX shell with base64, sha256sum, head, tail, wc and mv. */
import { base64, type Given, type Operation } from './script.ts'

const BEGIN = (input: Given): string => `(
nonce=${input.nonce}
path=$(printf %s '${base64(input.path)}' | base64 -d)
part=$(printf %s '${base64(input.part)}' | base64 -d)
folder=$(printf %s '${base64(input.folder)}' | base64 -d)
say() { printf '@@toolway:%s:%s:%s@@\\n' "$nonce" "$(printf %s "$1" | base64 | tr -d '\\n')" "$2"; exit 0; }
fail() { say '{"failed":"'"$1"'"}' ''; }
size() { wc -c < "$1" | tr -d ' '; }
hash() { sha256sum < "$1" | cut -d ' ' -f 1; }
stat_of() {
  if [ -f "$1" ]; then printf '{"size":%s,"sha256":"%s"}' "$(size "$1")" "$(hash "$1")"
  elif [ -e "$1" ]; then return 1
  else printf null
  fi
}
`

const BODIES: { readonly [Name in Operation['name']]: (operation: Extract<Operation, { name: Name }>) => string } = {
  stat: ({ target }) => `said=$(stat_of "$${target}") || fail 'it is not a file'
say '{"file":'"$said"'}' ''
`,
  write: ({ offset, bytes }) => `mkdir -p "$folder" || fail 'the folder cannot be made'
held=0
[ -f "$part" ] && held=$(size "$part")
[ "$held" -lt ${offset} ] && say '{"gap":'"$held"'}' ''
if [ "$held" -eq 0 ]; then : > "$part" || fail 'it cannot be written'
elif [ "$held" -gt ${offset} ]; then head -c ${offset} "$part" > "$part.cut" && mv "$part.cut" "$part" || fail 'it cannot be cut'
fi
base64 -d >> "$part" <<'TOOLWAY' || fail 'it cannot be written'
${base64(bytes)}
TOOLWAY
say '{"size":'"$(size "$part")"',"sha256":"'"$(tail -c +${offset + 1} "$part" | sha256sum | cut -d ' ' -f 1)"'"}' ''
`,
  finish: ({ size, sha256 }) => `wanted='{"size":${size},"sha256":"${sha256}"}'
said=$(stat_of "$part") || fail 'the part is not a file'
if [ "$said" = "$wanted" ]; then mv -f "$part" "$path" && say '{"done":true}' '' || fail 'it cannot be moved'; fi
if [ "$said" = null ] && [ "$(stat_of "$path")" = "$wanted" ]; then say '{"done":true}' ''; fi
say '{"done":false,"part":'"$said"'}' ''
`,
  read: ({ offset, size }) => `[ -f "$path" ] || fail 'it does not exist or is not a file'
data=$(tail -c +${offset + 1} "$path" | head -c ${size} | base64 | tr -d '\\n')
say '{"sha256":"'"$(printf %s "$data" | base64 -d | sha256sum | cut -d ' ' -f 1)"'"}' "$data"
`,
}

export function shellScript(input: Given): string {
  const { operation } = input
  const body = BODIES[operation.name] as (operation: Operation) => string
  return `${BEGIN(input)}${body(operation)})\n`
}
