// Records of other plugins. Actions of people and of the service are recorded from the bus only, where the emitter is
// known: any plugin could otherwise record that a person signed in.
import { type EventRecord, PlayheadError } from '@playhead/sdk'

const DOMAINS: ReadonlySet<unknown> = new Set([undefined, null, 'sync', 'scrobble'])

/** Copies, so that nothing changes after the check. Throws `PLH_FORBIDDEN` if any of them is an audit event. */
export function withoutAudit(records: readonly EventRecord[]): readonly EventRecord[] {
  return Array.from(records, (given) => {
    const record = { ...given }
    // A value with a method toJSON could become another text when it is stored.
    if (typeof record.type !== 'string' || !DOMAINS.has(record.domain) || /^\W*audit(?:_|$)/i.test(record.type))
      throw new PlayheadError(
        'PLH_FORBIDDEN',
        'A plugin records events of the domains sync and scrobble. Audit events are recorded from the event bus: emit an event of the plugin.',
      )
    return record
  })
}
