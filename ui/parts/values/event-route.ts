// The source and target services of an event.
import type { EventRow, NameOf } from './event-text.ts'

type Ends = Pick<EventRow, 'source_provider' | 'source_instance' | 'destination_provider' | 'destination_instance'>

/** null if the event belongs to no service. */
export function routeText(
  {
    source_provider: from,
    source_instance: fromInstance,
    destination_provider: to,
    destination_instance: toInstance,
  }: Ends,
  nameOf: NameOf,
): string | null {
  const names = [
    from === null ? '' : nameOf(from, fromInstance ?? undefined),
    to === null ? '' : nameOf(to, toInstance ?? undefined),
  ].filter((name) => name !== '')
  return names.length === 0 ? null : names.join(' → ')
}
