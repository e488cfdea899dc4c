// Assigns test files to processes: files of one area share one, because they load the same modules.
import { dirname } from 'node:path'
import type { TestFile } from './list.ts'

export interface Group {
  readonly name: string
  readonly files: readonly string[]
  readonly size: number
}

// A process costs about two seconds of loading; a group that is too large leaves a processor idle at the end.
const FILES_PER_GROUP = 20
const BYTES_PER_GROUP = 200_000

/**
 * Slow files, and those that cannot share, have a process of their own and begin first, because they take longest. The
 * largest groups follow, so that no long one begins last.
 */
export function groupsOf(files: readonly TestFile[]): Group[] {
  const own = files.filter((file) => file.slow !== undefined || file.alone !== undefined)
  const groups: Group[] = []
  let open: TestFile[] = []
  const close = (): void => {
    if (open.length > 0) groups.push({ name: nameOf(open), files: open.map(({ path }) => path), size: sizeOf(open) })
    open = []
  }
  for (const file of files) {
    if (file.slow !== undefined || file.alone !== undefined) continue
    const area = areaOf(file.path)
    const isFull = open.length >= FILES_PER_GROUP || sizeOf(open) + file.size > BYTES_PER_GROUP
    if (open.length > 0 && (isFull || areaOf(open[0]?.path ?? '') !== area)) close()
    open.push(file)
  }
  close()
  const alone = own.map(({ path, size }): Group => ({ name: path, files: [path], size }))
  const bySize = (a: Group, b: Group): number => b.size - a.size
  return [...alone.sort(bySize), ...groups.sort(bySize)]
}

/** The nth of m parts, given as "n/m"; together they contain all groups. */
export function shardOf(groups: readonly Group[], shard: string): Group[] {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(shard) ?? []
  const [n, m] = [Number(part), Number(parts)]
  if (!(n >= 1 && n <= m)) throw new Error(`--shard ${shard}: expected a part such as 2/8.`)
  return groups.filter((_, index) => index % m === n - 1)
}

/** Shuffles groups and the files within each. The same number gives the same order. */
export function shuffle(groups: readonly Group[], seed: number): Group[] {
  const random = randomNumbers(seed)
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => [random(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one)
  return shuffled(groups.map((group) => ({ ...group, files: shuffled(group.files) })))
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `test/plugins/plex/sign-in/x.test.ts` belongs to `plugins`. */
function areaOf(path: string): string {
  const [, area, file] = path.split('/')
  return file === undefined ? '' : (area ?? '')
}

function nameOf(files: readonly TestFile[]): string {
  const folders = [...new Set(files.map(({ path }) => dirname(path).replace(/^test\//, '')))]
  return folders.length === 1 ? `${folders[0]}` : `${folders[0]} to ${folders.at(-1)}`
}

function sizeOf(files: readonly TestFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
