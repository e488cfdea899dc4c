// An archive in memory, and the files in the folder.
import type { EventArchive, EventRow, FileArea } from '@playhead/sdk'
import type { EventsExportConfig } from '../../../plugins/services/events-export/settings.ts'

/** 2026-03-01T10:00:00Z */
export const START_MS = Date.UTC(2026, 2, 1, 10)
export const CONFIG: EventsExportConfig = { enabled: true, keep_days: 30, keep_files: 1_000, keep_megabytes: 500 }

export interface FakeArchive extends Pick<EventArchive, 'since'> {
  readonly events: EventRow[]
  name: string
  /** Stores this many events, `stepMs` apart. */
  add(count: number, fromMs: number, stepMs: number): void
}

export function createArchive(name = 'a1'): FakeArchive {
  const events: EventRow[] = []
  return {
    events,
    name,
    add(count, fromMs, stepMs) {
      for (let n = 0; n < count; n++) {
        const id = (events.at(-1)?.id ?? 0) + 1
        events.push({
          id,
          event_type: 'write_succeeded',
          created_at: Math.floor((fromMs + n * stepMs) / 1_000),
          title: `Film ${id} \u00e9\u2028\n"x"`,
        })
      }
    },
    async since(id, limit = 500) {
      return { archive: this.name, events: events.filter((event) => event.id > id).slice(0, limit) }
    },
  }
}

/** Ids by file. Throws for an incomplete line. */
export async function idsByFile(files: FileArea): Promise<Record<string, number[]>> {
  const names = (await files.list()).map(({ name }) => name).filter((name) => name.endsWith('.jsonl'))
  const found: Record<string, number[]> = {}
  for (const name of names) {
    const text = (await files.read(name)).toString()
    if (!text.endsWith('\n')) throw new Error(`the last line of ${name} is not whole`)
    found[name] = text
      .slice(0, -1)
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id)
  }
  return found
}
