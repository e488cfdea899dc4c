// The file with the encryption keys: one per line, the current one first. Older keys remain for backups. Synchronous: a
// key must exist before its first use.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from './atomic-file.ts'

const KEY_BYTES = 32
const LINE = /^playhead-key:v1:([A-Za-z0-9_-]{43})$/
const MAX_KEYS = 20

/** The keys of the file, current one first; empty without a file. Throws for invalid contents. */
export function readKeyFile(file: string): readonly Buffer[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    // A restored backup may have wider permissions.
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const keys = parseKeys(text)
  if (keys.length > 0) return keys
  throw new Error(
    `The key file ${file} is damaged: each of its lines must read playhead-key:v1:<key>. Restore it from a backup.`,
  )
}

/** The keys in the text of a key file; empty for invalid contents. */
export function parseKeys(text: string): readonly Buffer[] {
  const keys = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => LINE.exec(line.trim())?.[1])
  return keys.includes(undefined) ? [] : keys.map((key) => Buffer.from(key as string, 'base64url'))
}

/** Creates the first key. Flushed before returning: values encrypted with a lost key are unreadable. */
export function createKeyFile(file: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.new`
  rmSync(temporary, { force: true })
  flushed(openSync(temporary, 'wx', 0o600), (descriptor) => writeSync(descriptor, toText([key])))
  renameSync(temporary, file)
  if (process.platform !== 'win32') flushed(openSync(folder, 'r'), () => undefined)
  return key
}

/** Adds a new current key. */
export async function addKey(file: string): Promise<void> {
  await replaceFile(file, toText([randomBytes(KEY_BYTES), ...readKeyFile(file)].slice(0, MAX_KEYS)))
}

function toText(keys: readonly Buffer[]): string {
  return keys.map((key) => `playhead-key:v1:${key.toString('base64url')}\n`).join('')
}

function flushed(descriptor: number, write: (descriptor: number) => void): void {
  try {
    write(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
