// The connected profiles, and the features that two of them can sync.
import type { Answer } from '../../api/client.ts'

export type Mode = 'one_way' | 'two_way'
type Service = Answer<'GET /api/sync/providers'>[number]

export interface Account {
  readonly key: string
  readonly provider: string
  readonly instance: string
  readonly name: string
  readonly operations: Service['operations']
}

/** @param builtIn services without a sign-in; they come last, after the services the user connected */
export function accountsOf(services: readonly Service[], builtIn: ReadonlySet<string>): readonly Account[] {
  return services
    .toSorted((a, b) => Number(builtIn.has(a.name)) - Number(builtIn.has(b.name)))
    .flatMap(({ name: provider, label, operations, instances }) =>
      instances
        .filter(({ configured }) => configured)
        .map(({ id, label: profile }) => ({
          key: `${provider} ${id}`,
          provider,
          instance: id,
          operations,
          name: id === 'default' ? label : `${label} (${profile || id})`,
        })),
    )
}

export function canExchange(feature: string, a: Account, b: Account, mode: Mode): boolean {
  const reads = ({ operations }: Account) => operations[feature]?.read === true
  const writes = ({ operations }: Account) => operations[feature]?.add === true || operations[feature]?.update === true
  return a.key !== b.key && reads(a) && writes(b) && reads(b) && (mode === 'one_way' || writes(a))
}
