// One pass of the export: writes everything stored since the last pass, in batches, each event once.
import { type EventArchive, type EventRow, type FileArea, type HostFacts, yieldToLoop } from '@playhead/sdk'
import { recoverPosition, savePosition } from './position.ts'
import { fileOf, oldestMs, rotate } from './rotate.ts'
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
