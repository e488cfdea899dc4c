// Providers with rows or a manual policy, their profiles, and the number of rows of each.
import { KINDS, type Sources } from '../sources.ts'

/** The provider of Playhead's own tracker, whose rows are read at the time of the query. */
const TRACKER = 'SVC'

export async function listProviders({
  accounts,
  library,
  policy,
  tracker,
  has,
}: Pick<Sources, 'accounts' | 'library' | 'policy' | 'tracker' | 'has'>) {
  const descriptions = await accounts.providers()
  const all = await accounts.list()
  const held = (await Promise.all(KINDS.map((kind) => library.holdings(kind)))).flat()
  const scopes = has('policy') ? await policy.scopes() : []
  const own = all.filter(({ provider }) => provider === TRACKER && has('tracker'))
  const stats = await Promise.all(own.map(async ({ instance }) => ({ instance, rows: await tracker.stats(instance) })))
  const counted = [
    ...held
      .filter(({ provider }) => provider !== TRACKER || !has('tracker'))
      .map(({ provider, instance, feature, count }) => ({ provider, instance, feature: String(feature), count })),
    ...stats.flatMap(({ instance, rows }) =>
      rows.map(({ feature, rows: count }) => ({ provider: TRACKER, instance, feature: String(feature), count })),
    ),
    ...scopes.map(({ provider, instance, feature, adds }) => ({
      provider,
      instance,
      feature: String(feature),
      count: adds,
    })),
  ]
  const rows: Record<string, Record<string, Record<string, number>>> = {}
  for (const { provider, instance, feature, count } of counted) {
    if (count === 0 || !(KINDS as readonly string[]).includes(feature)) continue
    const of = ((rows[provider] ??= {})[instance] ??= {})
    of[feature] = (of[feature] ?? 0) + count
  }
  const names = new Set([
    ...held.filter(({ readAtMs }) => readAtMs !== null).map(({ provider }) => provider),
    ...scopes.map(({ provider }) => provider),
    ...all.filter(({ configured }) => configured).map(({ provider }) => provider),
  ])
  const providers = [...names].sort()
  return {
    providers,
    features: Object.fromEntries(
      providers.map((provider) => {
        const support = descriptions.find(({ id }) => id === provider)?.features ?? {}
        return [provider, Object.fromEntries(KINDS.map((kind) => [kind, support[kind]?.read === true]))]
      }),
    ),
    instances: Object.fromEntries(
      providers.map((provider) => [
        provider,
        [...new Set([...all, ...scopes].filter((one) => one.provider === provider).map(({ instance }) => instance))],
      ]),
    ) as Readonly<Record<string, readonly string[]>>,
    rows,
  }
}
