// One pass of the export: writes everything stored since the last pass, in batches, each event once.
import { type EventArchive, type EventRow, type FileArea, type HostFacts, yieldToLoop } from '@playhead/sdk'
import { recoverPosition, savePosition } from './position.ts'
import type { EventsExportConfig } from './settings.ts'

interface ExportDependencies {
  readonly files: FileArea
  readonly archive: Pick<EventArchive, 'since'>
  readonly config: EventsExportConfig
  readonly redact: HostFacts['redact']
  readonly now: () => number
  readonly signal: AbortSignal
}

const BATCH = 500
const LINES_A_TURN = 100

/** Returns the number of events written. A batch that was only half written is cut off first. */
export async function exportEvents({
  files,
  archive,
  config,
  redact,
  now,
  signal,
}: ExportDependencies): Promise<number> {
  let position = await recoverPosition(files)
  let written = 0
  while (!signal.aborted) {
    const batch = await archive.since(position.id, BATCH)
    if (batch.archive !== position.archive) {
      // Another archive file numbers its events from 1 again.
      const hadPosition = position.id > 0
      position = { archive: batch.archive, id: 0, writing: [] }
      if (hadPosition) continue
    }
    const last = batch.events.at(-1)
    if (last === undefined) break
    const fromMs = oldestMs(config, now())
    const lines = await linesByFile(
      batch.events.filter((event) => timeOf(event) >= fromMs),
      redact,
    )
    const writing = await Promise.all(
      [...lines.keys()].map(async (file) => ({ file, size: (await files.stat(file))?.size ?? null })),
    )
    if (writing.length > 0) await savePosition(files, { ...position, writing })
    for (const { file, size } of writing) {
      const added = lines.get(file) as readonly string[]
      await files.append(file, added.join(''), size ?? 0)
      written += added.length
    }
    position = { archive: batch.archive, id: last.id, writing: [] }
    await savePosition(files, position)
  }
  await rotate(files, config, now())
  return written
}

async function linesByFile(
  events: readonly EventRow[],
  redact: HostFacts['redact'],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = new Map<string, string[]>()
  for (const [index, event] of events.entries()) {
    if (index % LINES_A_TURN === LINES_A_TURN - 1) await yieldToLoop()
    const file = fileOf(timeOf(event))
    const found = lines.get(file) ?? []
    lines.set(file, found)
    found.push(`${lineOf(event, redact)}\n`)
  }
  return lines
}

/** Redacts secrets that became known after the event was stored; a line that cannot be redacted is dropped. */
function lineOf(event: EventRow, redact: HostFacts['redact']): string {
  const text = redact(JSON.stringify(event))
  return text.startsWith('{')
    ? text
    : JSON.stringify({ id: event.id, created_at: event.created_at, event_type: event.event_type, redacted: true })
}

function timeOf(event: EventRow): number {
  return event.created_at * 1_000
}

const NAME = /^events-(\d{4})(\d{2})(\d{2})T(\d{2})\.jsonl$/
const DAY_MS = 86_400_000
const MEGABYTE = 1024 * 1024

/** File name of an hour, in UTC. */
function fileOf(atMs: number): string {
  return `events-${new Date(atMs).toISOString().slice(0, 13).replaceAll('-', '')}.jsonl`
}

/** Deletes the oldest files by age, number and total size. The newest file stays: it is still being written. */
async function rotate(files: FileArea, config: EventsExportConfig, nowMs: number): Promise<number> {
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
function oldestMs({ keep_days: days }: EventsExportConfig, nowMs: number): number {
  return Math.floor((nowMs - days * DAY_MS) / 3_600_000) * 3_600_000
}

function hourOf(name: string): number {
  const [, year, month, day, hour] = NAME.exec(name) as RegExpExecArray
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour))
}
