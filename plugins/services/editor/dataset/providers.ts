// Providers with rows or a manual policy, and their profiles.
import { KINDS, type Sources } from '../sources.ts'

export async function listProviders({
  accounts,
  library,
  policy,
  has,
}: Pick<Sources, 'accounts' | 'library' | 'policy' | 'has'>) {
  const descriptions = await accounts.providers()
  const all = await accounts.list()
  const held = (await Promise.all(KINDS.map((kind) => library.holdings(kind)))).flat()
  const scopes = has('policy') ? await policy.scopes() : []
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
  }
}
