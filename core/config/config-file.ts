// The configuration file: read when changed, replaced atomically, with a copy of the last good state.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { identityOf, replaceFile, type FileIdentity } from '../storage/atomic-file.ts'

const MAX_BYTES = 32 * 1024 * 1024
const TOO_LARGE = `a configuration cannot be larger than ${MAX_BYTES} bytes`
const MAX_SET_ASIDE = 5

type FileReading =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string }

export interface FileFacts {
  readonly path: string
  readonly exists: boolean
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

export interface ConfigFile {
  /** The content, unless it is unchanged since the last read or write. */
  read(): Promise<FileReading>
  /** The content, changed or not. */
  readAgain(): Promise<FileReading>
  readLastGood(): Promise<string | undefined>
  /** Resolves after fsync. */
  write(text: string): Promise<void>
  keepLastGood(text: string): Promise<void>
  /** Copies the file under a new name before the next write replaces it; undefined if there is no file. */
  setAside(stamp: string): Promise<string | undefined>
  facts(): Promise<FileFacts>
}

export function createConfigFile(file: string, lastGoodFile: string): ConfigFile {
  let known: FileIdentity | 'missing' | undefined

  const readNow = async (): Promise<FileReading> => {
    const identity = await identify(file)
    if (identity === undefined) {
      known = 'missing'
      return { kind: 'missing' }
    }
    const text = await readFile(file, 'utf8')
    // A concurrent save by an editor changes the identity again, so the next check sees it.
    known = identity
    return { kind: 'text', text }
  }

  return {
    readAgain: readNow,

    async read() {
      const identity = await identify(file)
      return known !== undefined && (identity ?? 'missing') === known ? { kind: 'unchanged' } : await readNow()
    },

    async readLastGood() {
      return (await identify(lastGoodFile)) === undefined ? undefined : await readFile(lastGoodFile, 'utf8')
    },

    async write(text) {
      // A larger file could not be read back.
      if (Buffer.byteLength(text) > MAX_BYTES) throw new Error(TOO_LARGE)
      known = await replaceFile(file, text)
    },

    async keepLastGood(text) {
      await replaceFile(lastGoodFile, text)
    },

    async setAside(stamp) {
      if ((await identify(file)) === undefined) return undefined
      const copy = `${file}.unreadable-${stamp}`
      await replaceFile(copy, await readFile(file))
      await dropOldest(`${file}.unreadable-`)
      return copy
    },

    async facts() {
      const stats = await stat(file).catch(ignoreMissing)
      return {
        path: file,
        exists: stats !== undefined,
        sizeBytes: stats?.size ?? 0,
        modifiedAtMs: Math.trunc(stats?.mtimeMs ?? 0),
      }
    },
  }
}

async function identify(file: string): Promise<FileIdentity | undefined> {
  const stats = await stat(file, { bigint: true }).catch(ignoreMissing)
  if (stats === undefined) return undefined
  if (stats.size > MAX_BYTES) throw new Error(TOO_LARGE)
  return identityOf(stats)
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function dropOldest(prefix: string): Promise<void> {
  const folder = dirname(prefix)
  const copies = (await readdir(folder)).filter((name) => name.startsWith(basename(prefix))).sort()
  for (const name of copies.slice(0, -MAX_SET_ASIDE)) await rm(join(folder, name), { force: true })
}
