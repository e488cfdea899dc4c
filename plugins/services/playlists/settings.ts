// Settings: the section `playlists`. Ids are never reused, so the highest ones are stored.
import { type ItemKind, type ListKind, type Membership, oneOf, type Static, Type } from '@playhead/sdk'

const Text = (maxLength = 300) => Type.String({ default: '', maxLength })
const Flag = Type.Boolean({ default: false })
const ID = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'
export const LIST_KINDS = ['list', 'playlist', 'collection', 'status'] as const satisfies readonly ListKind[]
export const MEMBERSHIPS = ['add_only', 'managed_only', 'mirror'] as const satisfies readonly Membership[]
export const ORDERS = ['ignore', 'preserve'] as const

export const EndpointSection = Type.Object(
  {
    id: Type.String({ pattern: ID }),
    name: Text(),
    provider: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }),
    instance: Type.String({ default: 'default', maxLength: 100 }),
    playlist_id: Type.String({
      default: '',
      maxLength: 300,
      description: 'Kind and ID of the list, `playlist:12`. Leave empty to create it with the first item.',
    }),
    playlist_name: Text(),
    playlist_type: oneOf(LIST_KINDS, 'playlist'),
    media_types: Type.Array(Type.Unsafe<ItemKind>(Type.String()), { default: [] }),
    can_add: Flag,
    can_remove: Flag,
    can_reorder: Flag,
    smart: Flag,
    destructive_remove: Flag,
    remove_warning: Text(),
    warnings: Type.Array(Type.String(), { default: [] }),
    item_count: Type.Optional(Type.Integer({ minimum: 0 })),
    last_synced: Type.Optional(
      Type.Integer({ description: 'The time of the last successful sync, in seconds since 1970.' }),
    ),
    last_error: Type.Optional(Type.Object({ code: Type.String(), at: Type.Integer() })),
    made_by_run: Type.Optional(
      Type.Boolean({ description: 'A run created the list, or will create it with its first item.' }),
    ),
  },
  { additionalProperties: true },
)
export type Endpoint = Static<typeof EndpointSection>

export const MappingSection = Type.Object(
  {
    id: Type.String({ pattern: ID }),
    name: Text(),
    source_endpoint: Text(),
    target_endpoints: Type.Array(Type.String(), { default: [] }),
    ruleset_id: Type.String({ default: '', description: 'Leave empty to sync the whole source to one target.' }),
    membership: oneOf(MEMBERSHIPS, 'managed_only'),
    order: oneOf(ORDERS, 'ignore'),
    enabled: Type.Boolean({ default: true }),
    allow_mass_delete: Type.Optional(Type.Boolean()),
    confirm_destructive: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
export type Mapping = Static<typeof MappingSection>

/** The stored form. Rulesets are validated on use, so that a manually edited one is listed with its errors. */
export const PlaylistsConfig = Type.Object({
  endpoints: Type.Array(EndpointSection, { default: [] }),
  mappings: Type.Array(MappingSection, { default: [] }),
  rulesets: Type.Array(Type.Object({}, { additionalProperties: true }), { default: [] }),
  last_ids: Type.Object(
    {
      endpoint: Type.Integer({ default: 0, minimum: 0 }),
      mapping: Type.Integer({ default: 0, minimum: 0 }),
      ruleset: Type.Integer({ default: 0, minimum: 0 }),
    },
    { default: {}, description: 'The highest numbers used so far.' },
  ),
})
export type PlaylistsConfig = Static<typeof PlaylistsConfig>

/** The stored section, complete. */
export function readStored(stored: Readonly<Record<string, unknown>>): PlaylistsConfig {
  const { endpoints = [], mappings = [], rulesets = [], last_ids: ids } = stored as Partial<PlaylistsConfig>
  return { endpoints, mappings, rulesets, last_ids: { endpoint: 0, mapping: 0, ruleset: 0, ...ids } }
}
