// Detects data that are not the last state this service stored: a restored backup, an older data directory, or a single
// older database put in place by hand. Stored account state is then no proof of what people did.
//
// A directory does not know that it was copied, but its files show it: a copy has another inode and birth time, and
// content copied over a file names the identity of its original file. `epoch.mark` is recreated at each start, so that
// no copy of the directory names the current mark. After an orderly stop the databases must also have the size and time
// that were recorded then.
import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { noneIfAbsent, replaceFile } from '../storage/atomic-file.ts'
import { placeOf } from './places.ts'

const Stored = Type.Object({
  epoch: Type.String(),
  /** Accepted identities of the mark: the previous one, and the one that is being put in place. */
  marks: Type.Array(Type.String()),
  /** The mark still had its identity at a later start, so this file system keeps identities across restarts. */
  isStable: Type.Boolean(),
  /** Inodes of the databases at the last start, by path. */
  inodes: Type.Record(Type.String(), Type.String()),
  /** Size and time of the databases at an orderly stop, by path. Absent while the service runs. */
  stopped: Type.Optional(Type.Record(Type.String(), Type.String())),
})
type Stored = Static<typeof Stored>

/** The epoch of data that were never replaced. */
const FIRST_EPOCH = ''
/** File systems on which a file keeps its inode and time of birth: ext, XFS, Btrfs, ZFS, F2FS, tmpfs, overlayfs. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630])

export interface DataEpoch {
  /** Changes when the data were replaced; `FIRST_EPOCH` until then. */
  readonly id: string
  /** Call it when the databases are closed. */
  close(): Promise<void>
}

/** @param isRestored a backup took effect with this start */
export async function openEpoch(root: string, isRestored: boolean): Promise<DataEpoch> {
  const file = join(root, 'epoch.json')
  const known = await read(file)
  const identity = await identityOf(join(root, 'epoch.mark'))
  const isMarked = known !== undefined && identity !== undefined && known.marks.includes(identity)
  const isReplaced = known !== undefined && (await wasReplaced(root, known, isMarked))
  const id = isRestored || isReplaced ? randomUUID() : (known?.epoch ?? FIRST_EPOCH)
  const next = { epoch: id, isStable: known?.isStable === true || isMarked, inodes: await databases(root, inodeOf) }
  const mark = join(root, '.epoch.mark.tmp')
  await (await open(mark, 'w', 0o600)).close()
  const made = (await identityOf(mark))!
  // Both are valid until the new mark is in place: the process may end in between.
  await replaceFile(file, text({ ...next, marks: [...(identity === undefined ? [] : [identity]), made] }))
  await rename(mark, join(root, 'epoch.mark'))
  return {
    id,
    async close() {
      const stopped = await databases(root, stateOf)
      const inodes = await databases(root, inodeOf)
      // A full disk or a missing folder must not fail the stop: the next start then compares less.
      await replaceFile(file, text({ ...next, inodes, marks: [made], stopped })).catch(() => {})
    },
  }
}

async function wasReplaced(root: string, known: Stored, isMarked: boolean): Promise<boolean> {
  if (known.stopped !== undefined && isDifferent(known.stopped, await databases(root, stateOf))) return true
  // On other file systems inodes may change with each mount.
  if (!known.isStable && !LOCAL.has((await statfs(root)).type)) return false
  return !isMarked || isDifferent(known.inodes, await databases(root, inodeOf))
}

/** A missing or new database is not a sign of a replacement: its content is unknown or empty. */
function isDifferent(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): boolean {
  return Object.entries(before).some(([path, value]) => now[path] !== undefined && now[path] !== value)
}

interface FileFacts {
  readonly ino: bigint
  readonly birthtimeNs: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
}

const inodeOf = ({ ino, birthtimeNs }: FileFacts) => `${ino}:${birthtimeNs}`
const stateOf = ({ size, mtimeNs }: FileFacts) => `${size}:${mtimeNs}`

async function databases(root: string, factOf: (stats: FileFacts) => string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const plugins = await readdir(join(root, 'databases')).catch(noneIfAbsent)
  for (const folder of ['', ...plugins.map((plugin) => `databases/${plugin}/`)]) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      const path = `${folder}${name}`
      if (placeOf(path, () => 'state')?.kind !== 'database') continue
      const stats = await stat(join(root, path), { bigint: true }).catch(() => undefined)
      if (stats !== undefined) found[path] = factOf(stats)
    }
  }
  return found
}

async function identityOf(file: string): Promise<string | undefined> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined)
  return stats === undefined ? undefined : inodeOf(stats)
}

async function read(file: string): Promise<Stored | undefined> {
  try {
    const stored: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Value.Check(Stored, stored) ? stored : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

function text(stored: Stored): string {
  return `${JSON.stringify(stored)}\n`
}
