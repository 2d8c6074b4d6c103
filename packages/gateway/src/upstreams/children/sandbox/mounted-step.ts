/**
 * The step inside a mount namespace, before the program: it compares what is mounted with what the worker judged, by device and inode,
 * and ends where they differ. bubblewrap resolves names anew, and another server that may write the folder above can have
 * replaced one meanwhile. It runs with the rights of the program, and hands no descriptor on.
 */
import { findTool } from './tools.ts'

export interface MountedPlace {
  readonly path: string
  /** `device:inode` as it was judged. */
  readonly identity: string
}

export interface MountedPlaces {
  /** In folders that the mount namespace made, where nobody replaces a name. */
  readonly outer: readonly MountedPlace[]
  /**
   * In folders that other servers may write. A name there may lead to the right place for the moment of a look, so that the place is
   * opened, and what was opened must be what is mounted under this name.
   */
  readonly inner: readonly MountedPlace[]
  /** Must not be seen at its path. */
  readonly hidden: readonly MountedPlace[]
}

/** One program looks at all outer places, because each start of one costs a millisecond. */
const checkScript = (outer: number): string => `refuse() {
  echo "refused: $1 was replaced while the server was starting, or cannot be inspected. Start it again." >&2
  exit 126
}
id() { "$stat" -L -c %d:%i -- "$@" 2>/dev/null; }
stat=$1 wanted=$2; shift 2
[ "$(id ${Array.from({ length: outer }, (_, at) => `"\${${at + 1}}"`).join(' ')})" = "$wanted" ] || refuse 'a folder of its connection'
shift ${outer}
while [ "$1" != -- ]; do
  if [ "$1" = hidden ]; then
    [ "$(id "$2")" != "$3" ] || refuse "what hides $2"
  else
    [ -d "$2" ] || [ -f "$2" ] || refuse "$2"
    {
      [ "$(id /proc/self/fd/9)" = "$3" ] || refuse "$2"
      while read -r word mount; do [ "$word" = mnt_id: ] && break; done </proc/self/fdinfo/9
      while read -r id x x x place x; do [ "$id" = "$mount" ] && break; done </proc/self/mountinfo
      [ "$place" = "$4" ] || refuse "$2"
    } 9<"$2" || refuse "$2"
    shift
  fi
  shift 3
done
shift
unset stat wanted word mount id x place
exec "$@"`

/** As the table of mounts writes it. */
const escapeMountPath = (path: string): string =>
  path.replaceAll(/[ \t\n\\]/g, (value) => `\\${value.charCodeAt(0).toString(8).padStart(3, '0')}`)

export const mountedStep = ({ outer, inner, hidden }: MountedPlaces): string[] => [
  ...['/bin/sh', '-c', checkScript(outer.length), 'toolway-mounted', findTool('stat')],
  ...[outer.map(({ identity }) => identity).join('\n'), ...outer.map(({ path }) => path)],
  ...hidden.flatMap(({ path, identity }) => ['hidden', path, identity]),
  ...inner.flatMap(({ path, identity }) => ['inner', path, identity, escapeMountPath(path)]),
  '--',
]
