// defineProvider: builds a plugin from a provider's declaration. Profiles, sessions, checks and sign-in flows are
// shared; a provider contains little more than its wire protocol.
import type { Static, TObject } from '@sinclair/typebox'
import type { PluginContext } from '../context.ts'
import { type DefinedPlugin, definePlugin, type PluginApp } from '../define.ts'
import { providerOf } from './capability.ts'
import { providerCapability } from './contract.ts'
import { FEATURES } from './features.ts'
import type { ProviderDefinition } from './define-contract.ts'
import type { PendingFlow } from './sign-in/flows.ts'
import { createKit, type Kit } from './kit.ts'
import { shapeOf } from './profiles/profile-schema.ts'
import { MAX_PROBES } from './probes.ts'
import { shapedSection } from './profiles/shape-settings.ts'
import { defined } from '../defined.ts'

const HASH_KEY = 'kit/hash-key'

/**
 * Builds a plugin from a provider. plugin.json needs a `provider` block, a `section`, and `provides:
 * ["provider:<ID>"]`.
 *
 * Throws at load: `PLH_PLUGIN_MANIFEST` without a `provider` block; TypeError for invalid profile settings, and for
 * features that are declared but not implemented, or implemented but not declared.
 *
 * @example export default defineProvider({
 *   profile: Type.Object({ server: Type.String({ default: '' }), token: Type.String({ default: '', secret: true, boundTo: 'server' }) }),
 *   group: 'media_server',
 *   features: { ratings: { read: true, add: true, update: true, remove: true, kinds: ['movie'], needsAnyId: ['imdb'] } },
 *   signIn: { flow: 'token', methods: ['api_key'], … },
 *   credentials: ['token'],
 *   missing: ({ server, token }) => (server === '' || token === '' ? 'not_configured' : undefined),
 *   open: (account) => createClient(account),
 *   probe: (client, signal) => client.probe(signal),
 *   read: { ratings: (client, request, signal) => client.readRatings(request, signal) },
 *   write: { ratings: (client, request, signal) => client.writeRatings(request, signal) },
 * })
 */
export function defineProvider<Schema extends TObject, Session>(
  definition: ProviderDefinition<Schema, Session>,
): DefinedPlugin {
  type Profile = Static<Schema>
  const shape = shapeOf(definition.profile, definition.users !== undefined)
  checkFeatures(definition)
  if ((definition.probes ?? []).length > MAX_PROBES) throw new TypeError(`A provider has at most ${MAX_PROBES} probes.`)

  return definePlugin<TObject, Record<never, never>, Kit<Profile, Session>>({
    config: shape.section,
    normalizeConfig: (section) => shapedSection(shape, definition.normalize, section),
    ...defined({ migrations: definition.migrations }),
    async setup(given) {
      const ctx = given as unknown as PluginContext
      const kit = createKit(ctx, definition, shape, await hashKeyOf(ctx))
      // Settings are read on each use, so no reload is needed.
      given.onConfigChange(() => kit.settingsChanged())
      ctx.provide(providerCapability(kit.id), providerOf(kit, definition, shape), {
        whileDormant: ['describe', 'profiles'],
      })
      await definition.setup?.(ctx, kit)
      return kit
    },
    ...(definition.routes === undefined
      ? {}
      : { routes: (app, kit) => definition.routes?.(app as unknown as PluginApp, kit) }),
    handover: {
      give: (_ctx, kit) => kit.flows.give(),
      // Earlier versions may hand over another shape.
      take: (_ctx, value, kit) => kit.flows.take(Array.isArray(value) ? (value as readonly PendingFlow[]) : []),
    },
  })
}

function checkFeatures<Schema extends TObject, Session>({
  features,
  read,
  write,
}: ProviderDefinition<Schema, Session>): void {
  for (const feature of FEATURES) {
    const { read: reads = false, add = false, update = false, remove = false } = features[feature] ?? {}
    const pairs = [
      ['read', reads, read[feature] !== undefined],
      ['write', add || update || remove, write[feature] !== undefined],
    ] as const
    for (const [name, isDeclared, isThere] of pairs) {
      if (isDeclared !== isThere)
        throw new TypeError(
          isThere
            ? `${name}.${feature} is there, and features.${feature} does not declare it: it would never be called.`
            : `features.${feature} declares what ${name}.${feature} should do, but it is missing.`,
        )
    }
  }
}

// Keyed, so that secrets cannot be guessed from fingerprints.
async function hashKeyOf(ctx: PluginContext): Promise<string> {
  const kept = await ctx.store.get<string>(HASH_KEY)
  if (kept !== undefined) return kept
  const made = crypto.randomUUID() + crypto.randomUUID()
  await ctx.store.set(HASH_KEY, made)
  return made
}
