// Response schemas that the routes of maintenance share.
import { oneOf, orNull, Type } from '@playhead/sdk'
import type { Performed } from '../run/perform.ts'

const Text = Type.String()
const Count = Type.Integer()

export const Summary = Type.Object(
  {
    removed_files: Count,
    removed_items: Type.Integer({ description: 'Rows, and entries of memory.' }),
    changed_items: Count,
    freed_bytes: Type.Integer({ description: 'Measured on disk, of what was there before.' }),
  },
  { title: 'MaintenanceSummary' },
)
const Touch = Type.Object(
  {
    action: Text,
    path: Type.String({ description: 'In the data directory; empty for memory.' }),
    table: Type.Optional(Text),
    label: Text,
    op: oneOf(['delete', 'change']),
    items: Count,
    bytes: Type.Optional(Count),
  },
  { title: 'MaintenanceTouch' },
)
export const DONE = {
  ok: Type.Boolean(),
  dry_run: Type.Boolean(),
  touches: Type.Array(Touch, { description: 'The affected data; in a dry run, the data that would be affected.' }),
  summary: Summary,
  backup_path: orNull(Type.String({ description: 'The backup that was made before.' })),
  advice: orNull(oneOf(['dry_run'])),
  details: Type.Record(Text, Type.Unknown(), { description: 'By action.' }),
}
export const Done = Type.Object(DONE, { title: 'MaintenanceResult', additionalProperties: true })

export const Meta = Type.Object({
  name: Text,
  size: Count,
  mtime: orNull(Type.String({ description: 'ISO 8601, UTC.' })),
})

export const Run = Type.Object(
  {
    state: oneOf(['idle', 'running', 'succeeded', 'failed']),
    started_at: orNull(Type.Integer({ description: 'Epoch seconds.' })),
    finished_at: orNull(Count),
    percent: Count,
    message: Text,
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Text),
  },
  { title: 'MaintenanceRun' },
)

export function toDone(done: Performed) {
  return { ok: true, ...done }
}

export function isoOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}
