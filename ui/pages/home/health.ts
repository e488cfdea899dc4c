// The health of the services, as home words it.
import type { Answer } from '../../api/client.ts'
import type { home } from '../../texts/en/home.ts'

export interface Service {
  readonly provider: string
  readonly instance: string
  /** Label of the provider. */
  readonly label: string
  readonly state: keyof typeof home.services.states
  readonly tone: 'good' | 'warn' | 'bad' | 'idle'
}

const STATES: Readonly<Record<string, readonly [Service['state'], Service['tone']]>> = {
  ok: ['ok', 'good'],
  degraded: ['degraded', 'warn'],
  down: ['down', 'bad'],
  auth_failed: ['signIn', 'bad'],
}
const UNKNOWN = ['unknown', 'idle'] as const
const ORDER: readonly Service['tone'][] = ['bad', 'warn', 'idle', 'good']

export function servicesOf({ connections }: Answer<'GET /api/connections'>): readonly Service[] {
  return connections
    .flatMap(({ provider, label, group, profiles }) =>
      profiles
        // A service without a sign-in is always configured; it counts once it is used.
        .filter(({ configured, used_by: uses }) => configured && (group !== 'other' || uses.length > 0))
        .map(({ id, status }): Service => {
          const [state, tone] = STATES[status] ?? UNKNOWN
          return { provider, instance: id, label, state, tone }
        }),
    )
    .sort((a, b) => ORDER.indexOf(a.tone) - ORDER.indexOf(b.tone))
}
