// The services of an event: from and to.
import { Text } from '@mantine/core'
import type { EventRow, NameOf } from '../../parts/events/text.ts'

type Ends = Pick<EventRow, 'source_provider' | 'source_instance' | 'destination_provider' | 'destination_instance'>

export function RouteText({ ends, nameOf }: { readonly ends: Ends; readonly nameOf: NameOf }) {
  return (
    <Text span size="sm" inherit={false}>
      {routeText(ends, nameOf) || '–'}
    </Text>
  )
}

export function routeText(
  {
    source_provider: from,
    source_instance: fromInstance,
    destination_provider: to,
    destination_instance: toInstance,
  }: Ends,
  nameOf: NameOf,
): string {
  return [
    from === null ? '' : nameOf(from, fromInstance ?? undefined),
    to === null ? '' : nameOf(to, toInstance ?? undefined),
  ]
    .filter((name) => name !== '')
    .join(' → ')
}
