// Prevents two services in one data directory. The lock is SQLite's exclusive lock on an empty database: the kernel
// releases it with the process, even after kill -9, and it works across containers. A second file describes the holder:
// which process it is, whether it is stopping, and, on file systems shared between machines, its heartbeat.
//
// Never open the lock file in another way: closing any descriptor releases all locks of the process on it.
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync, renameSync, statfsSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PlayheadError } from '@playhead/sdk'

/** SQLite also reports ENOLCK as busy. */
const SQLITE_BUSY = 5
const POLL_MS = 100
/** A holder that was just asked to stop may not have recorded it yet. */
const GRACE_MS = 1_500
/** How long a killed process may need to disappear. */
const DYING_MS = 1_000
/** Longer than every limit of an orderly stop. */
const STOP_WAIT_MS = 25_000
const BEAT_MS = 5_000
// File systems between machines or through a daemon (statfs(2)), whose locks may be local or ignored: NFS, SMB, CIFS,
// SMB2, FUSE, 9P, Ceph, AFS, VirtualBox.
const SHARED = [
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400, 0x5346414f, 0x786f4256,
] as const

const Holder = Type.Object({
  pid: Type.Integer(),
  host: Type.String(),
  since: Type.String(),
  /** Absent in files of earlier versions. */
  state: Type.Optional(Type.Union([Type.Literal('running'), Type.Literal('stopping'), Type.Literal('ended')])),
  /** Random id of this start. */
  id: Type.Optional(Type.String()),
  /** Start time of the process, so that another process with the same pid is not mistaken for it. */
  started: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  beat: Type.Optional(Type.Integer()),
})
type Holder = Static<typeof Holder>

interface DirectoryLock {
  /** Announces the stop to a process that waits for the directory. */
  stopping(): void
  release(): void
}

export interface LockOptions {
  /** Waits for a holder that is stopping; called once with a sentence about it. Default: the lock is refused at once. */
  readonly onWait?: (text: string) => void
  /** Ends the wait. */
  readonly signal?: AbortSignal
  /** Another process took the directory over, which only a file system with broken locks permits. */
  readonly onLost?: (text: string) => void
  readonly beatMs?: number
}

/** Takes the lock or throws PLH_CONFLICT with the holder. */
export async function lockDirectory(folder: string, options: LockOptions = {}): Promise<DirectoryLock> {
  const file = join(folder, 'holder.json')
  const database = await openLocked(folder, file, options)
  const { beatMs = BEAT_MS } = options
  const isShared = isSharedFileSystem(folder)
  const own = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    state: 'running',
    id: randomUUID(),
    started: startOf(process.pid),
    ...(isShared ? { beat: 0 } : {}),
  } satisfies Holder
  const write = (changes: Partial<Holder>) => {
    // Renamed into place, so that a reader never sees half of it.
    writeFileSync(`${file}.new`, `${JSON.stringify(Object.assign(own, changes))}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  try {
    await refuseSecond(await readHolder(file), file, beatMs)
    write({})
  } catch (error) {
    database.close()
    throw error
  }
  const watch = setInterval(() => {
    const holder = readHolderNow(file)
    if (holder?.id !== undefined && holder.id !== own.id) {
      clearInterval(watch)
      options.onLost?.(
        `${nameOf(holder)} has taken the data directory over, although this one holds its lock: ${NO_LOCKS}`,
      )
    } else if (isShared) tryTo(() => write({ beat: (own.beat ?? 0) + 1 }))
  }, beatMs).unref()
  const isOwn = () => readHolderNow(file)?.id === own.id
  return {
    stopping() {
      if (database.isOpen && isOwn()) tryTo(() => write({ state: 'stopping' }))
    },
    release() {
      if (!database.isOpen) return
      clearInterval(watch)
      if (isOwn()) tryTo(() => write({ state: 'ended' }))
      database.close()
    },
  }
}

async function openLocked(folder: string, file: string, { onWait, signal }: LockOptions): Promise<DatabaseSync> {
  const beganAtMs = performance.now()
  let isSaid = false
  for (;;) {
    const database = new DatabaseSync(join(folder, 'lock.sqlite'))
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      return database
    } catch (error) {
      database.close()
      if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error
    }
    const holder = await readHolder(file)
    const isStopping = holder !== null && holder.state !== undefined && holder.state !== 'running'
    // The threads of a killed process may hold the lock a little longer than the process exists.
    const leastMs = holder !== null && isGone(holder) ? DYING_MS : 0
    const waitMs = onWait === undefined ? leastMs : isStopping ? STOP_WAIT_MS : GRACE_MS
    if (performance.now() - beganAtMs >= waitMs) throw refusal(holder)
    if (isStopping && !isSaid) {
      isSaid = true
      onWait?.(`Playhead waits for process ${holder.pid}, which is stopping.`)
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

const NO_LOCKS =
  'the file system of the data directory has no working locks, as NFS without its lock service. Use a local disk.'

function refusal(holder: Holder | null): PlayheadError {
  // The kernel releases the lock of a dead process, so nothing holds it.
  if (holder !== null && (holder.state === 'ended' || isGone(holder)))
    return new PlayheadError('PLH_CONFLICT', `The data directory cannot be locked: ${NO_LOCKS}`)
  if (holder === null)
    return new PlayheadError(
      'PLH_CONFLICT',
      'The data directory cannot be locked. Either another Playhead that is starting uses it (stop it, or choose another ' +
        `directory), or ${NO_LOCKS}`,
    )
  const isHere = holder.host === hostname()
  return new PlayheadError(
    'PLH_CONFLICT',
    `Another Playhead uses this data directory (${describe(holder)}). ` +
      `Stop it${isHere && holder.pid !== process.pid ? ` (kill ${holder.pid})` : ''}, or choose another directory.`,
  )
}

/** The lock was granted although its holder may be running: locks of some file systems are not real. */
async function refuseSecond(holder: Holder | null, file: string, beatMs: number): Promise<void> {
  if (holder === null || holder.state === 'ended' || holder.state === undefined) return
  const isHere = holder.host === hostname()
  const isRunning = isHere
    ? holder.pid !== process.pid && holder.started != null && !(await isGoneSoon(holder))
    : holder.beat !== undefined && (await isBeating(holder, file, beatMs))
  if (!isRunning) return
  throw new PlayheadError(
    'PLH_CONFLICT',
    `Another Playhead uses this data directory (${describe(holder)}), and its lock was granted all the same: ${NO_LOCKS}`,
  )
}

/** The kernel releases the locks of a process that was killed shortly before it is gone, and its parent may be slow to notice. */
async function isGoneSoon(holder: Holder): Promise<boolean> {
  const untilMs = performance.now() + DYING_MS
  while (!isGone(holder)) {
    if (performance.now() >= untilMs) return false
    await sleep(POLL_MS)
  }
  return true
}

async function isBeating(before: Holder, file: string, beatMs: number): Promise<boolean> {
  await sleep(beatMs * 2.5)
  const now = await readHolder(file)
  return now !== null && now.state !== 'ended' && (now.id !== before.id || now.beat !== before.beat)
}

const nameOf = ({ pid, host }: Holder) => `Process ${pid} on ${host}`
const describe = ({ pid, host, since }: Holder) => `process ${pid} on ${host}, since ${since}`

/** True if the process of this machine does not exist. False if that is unknown. */
function isGone({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return false
  if (started != null) {
    const [boot, namespace] = started.split(' ')
    const [ownBoot, ownNamespace] = (startOf(process.pid) ?? '').split(' ')
    // Containers with one host name do not see each other's processes.
    if (boot === ownBoot && namespace !== ownNamespace) return false
    return startOf(pid) !== started
  }
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Boot, namespace and field 22 of /proc/<pid>/stat; null on other systems, or if there is no such process. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = readlinkSync('/proc/self/ns/pid')
    // The name in field 2 may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended; its parent has not taken note yet.
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot} ${namespace} ${fields[19]}`
  } catch {
    return null
  }
}

function isSharedFileSystem(folder: string): boolean {
  try {
    return (SHARED as readonly number[]).includes(statfsSync(folder).type >>> 0)
  } catch {
    return false
  }
}

async function readHolder(file: string): Promise<Holder | null> {
  return parse(await readFile(file, 'utf8').catch(() => ''))
}

function readHolderNow(file: string): Holder | null {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function parse(text: string): Holder | null {
  try {
    const holder: unknown = JSON.parse(text)
    return Value.Check(Holder, holder) ? holder : null
  } catch {
    return null
  }
}

/** The file is informative: a full disk must not end the service. */
function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // The lock itself is held by the kernel.
  }
}
