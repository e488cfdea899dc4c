// Sources of pictures: every account whose provider has pictures, and the metadata service.
import { ACCOUNTS, METADATA, type Picture, type PictureRequest, type PluginContext, PROVIDERS } from '@playhead/sdk'

export interface Source {
  /** The account with its credentials: pictures of a removed or changed account are not shown any more. */
  readonly owner: string
  /** The name in logs. */
  readonly name: string
  picture(request: PictureRequest, signal: AbortSignal): Promise<Picture | null>
}

export interface Sources {
  accounts(): Promise<readonly Source[]>
  /** From the metadata service, which has its own cache; null without a key. */
  metadata(request: PictureRequest): Promise<Picture | null>
}

/** Caches the accounts, so that a wall of posters queries them once. */
const FRESH_MS = 2_000

export function createSources(ctx: Pick<PluginContext, 'use' | 'tryUse'>, now: () => number = Date.now): Sources {
  let last: { readonly atMs: number; readonly sources: Promise<readonly Source[]> } | undefined

  async function list(): Promise<readonly Source[]> {
    const accounts = ctx.use(ACCOUNTS)
    const [providers, all] = await Promise.all([accounts.providers(), accounts.list()])
    const able = new Set(providers.flatMap(({ id, pictures }) => (pictures === true ? [id] : [])))
    return all.flatMap(({ provider, instance, uid, fingerprint, configured }) =>
      able.has(provider) && configured
        ? [
            {
              owner: `${uid} ${fingerprint}`,
              name: `${provider}@${instance}`,
              picture: async (request: PictureRequest, signal: AbortSignal) =>
                (await ctx.tryUse(PROVIDERS.of(provider))?.picture?.(instance, request, signal)) ?? null,
            },
          ]
        : [],
    )
  }

  return {
    accounts() {
      if (last === undefined || now() - last.atMs > FRESH_MS) {
        const sources = list()
        last = { atMs: now(), sources }
        sources.catch(() => (last = undefined))
      }
      return last.sources
    },
    async metadata(request) {
      const metadata = ctx.tryUse(METADATA)
      return metadata !== undefined && (await metadata.ready()) ? metadata.picture(request) : null
    },
  }
}
