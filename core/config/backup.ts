// Copies the configuration file, if no plugin handles backups. Secrets stay encrypted.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { replaceFile } from '../storage/atomic-file.ts'

const MAX_LABEL_LENGTH = 60

/** Copies the file and returns the path; null if there is no file yet. */
export function createPlainBackup({
  file,
  folder,
  clock,
}: {
  readonly file: string
  readonly folder: string
  readonly clock: Clock
}) {
  return async (label: string): Promise<string | null> => {
    let text: string
    try {
      text = await readFile(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')
    const slug = label
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_LABEL_LENGTH)
    const copy = join(folder, `config-${time}-${slug}.json`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await replaceFile(copy, text)
    return copy
  }
}
