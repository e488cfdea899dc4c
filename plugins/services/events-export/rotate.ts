// Deletes the oldest files by age, number and total size. The newest file stays: it is still being written.
import type { FileArea } from '@playhead/sdk'
import type { EventsExportConfig } from './settings.ts'

const NAME = /^events-(\d{4})(\d{2})(\d{2})T(\d{2})\.jsonl$/
const DAY_MS = 86_400_000
const MEGABYTE = 1024 * 1024

/** File name of an hour, in UTC. */
export function fileOf(atMs: number): string {
  return `events-${new Date(atMs).toISOString().slice(0, 13).replaceAll('-', '')}.jsonl`
}

export async function rotate(files: FileArea, config: EventsExportConfig, nowMs: number): Promise<number> {
  const kept = (await files.list()).filter(({ name, isDir }) => !isDir && NAME.test(name))
  let bytes = kept.reduce((sum, { size = 0 }) => sum + size, 0)
  let removed = 0
  while (kept.length > 1) {
    const [oldest] = kept as [(typeof kept)[number]]
    const isOver = kept.length > config.keep_files || bytes > config.keep_megabytes * MEGABYTE
    if (!isOver && hourOf(oldest.name) >= oldestMs(config, nowMs)) break
    await files.remove(oldest.name)
    kept.shift()
    bytes -= oldest.size ?? 0
    removed += 1
  }
  return removed
}

/** Start of the oldest hour to export. */
export function oldestMs({ keep_days: days }: EventsExportConfig, nowMs: number): number {
  return Math.floor((nowMs - days * DAY_MS) / 3_600_000) * 3_600_000
}

function hourOf(name: string): number {
  const [, year, month, day, hour] = NAME.exec(name) as RegExpExecArray
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour))
}
