// Watches whether services still answer as their plugins expect: once a day at most, and only for accounts that are in use.
import {
  type Account,
  accountName,
  ACCOUNTS,
  type Attention,
  type ContractDifference,
  isLocalSignIn,
  isPlayheadError,
  type PluginContext,
  PROVIDERS,
  type ProviderDescription,
} from '@playhead/sdk'

export interface VendorWatch {
  /** Asks what is due. One account after the other. */
  look(signal: AbortSignal): Promise<void>
  open(): Promise<readonly Attention[]>
}

/** Only names and numbers of the declaration, and numbers of headers. */
interface Finding {
  readonly difference: ContractDifference
  /** When it was seen for the first time. */
  readonly sinceMs: number
}

/** The last look at an account. */
interface Seen {
  readonly atMs: number
  /** Version of the plugin that asked: another one expects something else. */
  readonly version: string
  /** Of the profile. */
  readonly uid: string
  readonly findings: readonly Finding[]
}

const DAY_MS = 86_400_000
const WORKING = new Set(['ok', 'degraded'])
const TYPES = {
  string: 'text',
  number: 'a number',
  boolean: 'yes or no',
  object: 'an object',
  array: 'a list',
} as const

export function createVendorWatch(
  ctx: Pick<PluginContext, 'tryUse' | 'store' | 'host' | 'log'>,
  now: () => number = () => Date.now(),
): VendorWatch {
  const keyOf = ({ provider, instance }: Pick<Account, 'provider' | 'instance'>) =>
    `vendor/${accountName(provider, instance)}`

  /** Connected accounts of providers with probes. */
  async function watched(): Promise<readonly { readonly account: Account; readonly about: ProviderDescription }[]> {
    const accounts = ctx.tryUse(ACCOUNTS)
    if (accounts === undefined) return []
    const providers = new Map((await accounts.providers()).map((about) => [about.id, about]))
    return (await accounts.list()).flatMap((account) => {
      const about = providers.get(account.provider)
      const isWatched = account.configured && about?.probes === true && !isLocalSignIn(about)
      return isWatched ? [{ account, about }] : []
    })
  }

  async function lookAt(account: Account, about: ProviderDescription, signal: AbortSignal): Promise<void> {
    const { provider, instance, uid } = account
    const key = keyOf(account)
    const seen = await ctx.store.get<Seen>(key)
    const before = seen?.uid === uid && seen.version === about.version ? seen : undefined
    const ageMs = now() - (before?.atMs ?? Number.NEGATIVE_INFINITY)
    if (ageMs >= 0 && ageMs < DAY_MS) return
    const accounts = ctx.tryUse(ACCOUNTS)
    if (!(await accounts?.usages(provider, instance))?.some(({ enabled }) => enabled)) return
    const { status } = (await accounts?.health(provider, instance)) ?? { status: 'unknown' }
    if (!WORKING.has(status)) return
    const looks = await ctx.tryUse(PROVIDERS.of(provider))?.lookAtContract?.(instance, signal)
    if (looks === undefined) return
    const known = before?.findings ?? []
    const atMs = now()
    const findings = looks.flatMap(({ about: what, differences }): readonly Finding[] =>
      differences === null
        ? known.filter(({ difference }) => difference.about === what)
        : differences.map((difference) => ({
            difference,
            sinceMs: known.find((one) => idOf(one.difference) === idOf(difference))?.sinceMs ?? atMs,
          })),
    )
    await ctx.store.set(key, { atMs, version: about.version, uid, findings } satisfies Seen)
  }

  return {
    async look(signal) {
      const all = await watched()
      for (const { account, about } of all) {
        if (signal.aborted) return
        await lookAt(account, about, signal).catch((error: unknown) => {
          const code = isPlayheadError(error) ? error.code : 'unexpected'
          ctx.log.debug({ provider: account.provider, instance: account.instance, code }, 'a service was not looked at')
        })
      }
      const known = new Set(all.map(({ account }) => keyOf(account)))
      const keys = (await Array.fromAsync(ctx.store.entries())).map(([key]) => key)
      for (const key of keys) if (key.startsWith('vendor/') && !known.has(key)) await ctx.store.delete(key)
    },

    async open() {
      const found = new Map<string, Attention>()
      for (const { account, about } of await watched()) {
        const seen = await ctx.store.get<Seen>(keyOf(account))
        if (seen === undefined || seen.uid !== account.uid || seen.version !== about.version) continue
        const plugin = ctx.host.plugins().find(({ provider }) => provider?.id === about.id)?.id
        for (const finding of seen.findings) {
          // The same for all profiles of a service.
          const id = `vendor:${about.id}:${idOf(finding.difference)}`
          if (!found.has(id)) found.set(id, attentionOf(id, about, finding, plugin))
        }
      }
      return [...found.values()]
    },
  }
}

function idOf(difference: ContractDifference): string {
  return `${difference.about}:${difference.kind}:${'name' in difference ? difference.name : ''}`
}

function attentionOf(
  id: string,
  { id: provider, label }: ProviderDescription,
  { difference, sinceMs }: Finding,
  plugin: string | undefined,
): Attention {
  const { title, detail } = wordsOf(label, difference)
  return {
    id,
    kind: 'vendor_changed',
    severity: 'warning',
    provider,
    title,
    detail: `${detail} Update the plugin as soon as there is a new version.`,
    since: Math.floor(sinceMs / 1_000),
    ...(plugin === undefined ? {} : { plugin, action: { label: 'Show details', path: `/plugins/${plugin}` } }),
  }
}

function wordsOf(label: string, difference: ContractDifference): { readonly title: string; readonly detail: string } {
  const seen = `Seen in: ${difference.about}.`
  switch (difference.kind) {
    case 'gone':
      return { title: `${label} no longer answers`, detail: seen }
    case 'missing':
      return { title: `${label} no longer sends ${difference.name}`, detail: seen }
    case 'type':
      return {
        title: `${label} sends ${difference.name} as ${TYPES[difference.is]} now`,
        detail: `It was ${TYPES[difference.was]}. ${seen}`,
      }
    case 'page':
      return {
        title: `${label} answers pages of ${difference.is} now`,
        detail: `The plugin expects ${difference.was}. ${seen}`,
      }
    case 'requests':
      return {
        title: `${label} allows ${difference.is} requests now`,
        detail: `The plugin counts on ${difference.was}.`,
      }
  }
}
