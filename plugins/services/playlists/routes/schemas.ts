// Bodies and answers of the routes.
import { optionalBody, orNull, type TSchema, Type } from '@playhead/sdk'
import { Ruleset } from '../config/rulesets.ts'
import { EndpointSection, MappingSection } from '../settings.ts'

const open = { additionalProperties: true }

/** The ruleset validates its fields itself, so that all errors are listed. */
export const RulesetBody = Type.Object({ ruleset: Type.Optional(Type.Object({}, open)) }, open)
export const CloneBody = optionalBody(Type.Object({ name: Type.Optional(Type.String({ maxLength: 300 })) }, open))

export const RunBody = optionalBody(
  Type.Object(
    {
      confirm_mass_delete: Type.Optional(Type.Boolean({ description: 'Removals beyond the guard are approved.' })),
      confirm_destructive: Type.Optional(
        Type.Boolean({ description: 'Removals that lose other data, such as a rating, are confirmed.' }),
      ),
    },
    open,
  ),
)

const idParam = (name: string) => Type.Object({ [name]: Type.String({ minLength: 1, maxLength: 100 }) })
export const EndpointId = idParam('endpoint_id')
export const MappingId = idParam('mapping_id')
export const RulesetId = idParam('ruleset_id')
export const PairId = idParam('pair_id')

const Strings = Type.Array(Type.String())
const Whole = Type.Integer()

export const EndpointAnswer = Type.Object(
  { ...EndpointSection.properties, provider_label: Type.Optional(Type.String()) },
  { ...open, title: 'PlaylistEndpoint' },
)

const Unresolved = Type.Object(
  {
    endpoint_id: Type.String(),
    op: Type.String(),
    key: Type.String(),
    title: orNull(Type.String()),
    year: orNull(Whole),
    media_type: Type.String(),
    reason: Type.String(),
    note: Type.Optional(Type.String({ description: 'The verdict of a plugin: its id and its reason.' })),
  },
  { ...open, title: 'UnresolvedEntry' },
)

const Described = Type.Object(
  { key: Type.String(), title: orNull(Type.String()), year: orNull(Whole), media_type: Type.String() },
  { ...open, title: 'PlaylistEntry' },
)

const planFields = {
  membership: Type.Optional(Type.String()),
  order: Type.Optional(Type.String()),
  source_count: Type.Optional(Whole),
  target_count: Type.Optional(Whole),
  planned_additions: Type.Optional(Whole),
  planned_removals: Type.Optional(Whole),
  blocked_removals: Type.Optional(Type.Integer({ description: 'Removals that wait for a confirmation.' })),
  blocked_items: Type.Optional(
    Type.Array(Described, { description: 'The items that `blocked_removals` counts; at most 200.' }),
  ),
  reorder_count: Type.Optional(Whole),
  manual_affected: Type.Optional(Type.Boolean()),
  managed_count: Type.Optional(Whole),
  unresolved: Type.Optional(Type.Array(Unresolved, { description: 'At most 200.' })),
  unresolved_count: Type.Optional(Whole),
  resolved_count: Type.Optional(Whole),
  duplicates: Type.Optional(Type.Array(Type.Object({ key: Type.String(), endpoints: Strings }))),
  warnings: Type.Optional(Strings),
  initial: Type.Optional(Type.Boolean()),
  blocked: Type.Optional(Type.Boolean()),
  error: Type.Optional(Type.String()),
  losses: Type.Optional(Strings),
  overflow_count: Type.Optional(Whole),
  total_capacity: Type.Optional(orNull(Whole)),
  available_capacity: Type.Optional(orNull(Whole)),
  per_target: Type.Optional(Type.Array(Type.Object({ endpoint_id: Type.String() }, open))),
  additions: Type.Optional(Strings),
  removals: Type.Optional(Strings),
  addition_items: Type.Optional(Type.Array(Described, { description: 'At most 200; of a mapping without rules.' })),
  removal_items: Type.Optional(Type.Array(Described, { description: 'At most 200; of a mapping without rules.' })),
}
const PlanAnswer = Type.Object({ mapping_id: Type.String(), ruleset_id: Type.String(), ...planFields }, open)
export const ResultAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    partial: Type.Boolean(),
    mapping_id: Type.String(),
    ruleset_id: Type.String(),
    job_id: Type.String(),
    dry_run: Type.Boolean(),
    added: Whole,
    removed: Whole,
    reordered: Whole,
    already: Whole,
    plan_ids: Strings,
    finished_at: Type.Optional(Whole),
    message: Type.Optional(Type.String()),
    run_id: Type.Optional(Type.String()),
    ...planFields,
  },
  { ...open, title: 'PlaylistResult' },
)

const End = Type.Object(
  {
    endpoint_id: Type.String(),
    name: Type.String(),
    provider: Type.String(),
    instance: Type.String(),
    playlist_name: Type.String(),
    label: Type.String(),
  },
  { ...open, title: 'MappingEnd' },
)
export const RulesetAnswer = Type.Object(
  { ...Ruleset.properties, valid: Type.Optional(Type.Boolean()) },
  { ...open, title: 'Ruleset' },
)
export const MappingAnswer = Type.Object(
  {
    ...MappingSection.properties,
    valid: Type.Boolean(),
    problem: Type.Optional(Type.String({ description: 'Why the mapping cannot run.' })),
    running: Type.Boolean(),
    source: orNull(End),
    target: orNull(End),
    targets: Type.Array(End),
    ruleset: orNull(RulesetAnswer),
    assigned_pair: orNull(Type.String()),
    assigned_pair_label: Type.String(),
    last_result: orNull(ResultAnswer),
    selected: Type.Optional(Type.Boolean({ description: 'Set for the mappings of a pair: the mapping runs with it.' })),
  },
  { ...open, title: 'PlaylistMapping' },
)
export const ActivityAnswer = Type.Object(
  {
    ts: Whole,
    type: Type.String(),
    status: Type.String(),
    label: Type.String(),
    details: Type.String(),
    added: Whole,
    removed: Whole,
    endpoint_id: Type.Optional(Type.String()),
    mapping_id: Type.Optional(Type.String()),
    moved: Type.Optional(Whole),
    unresolved: Type.Optional(Type.Integer({ description: 'Items of a run that could not be matched.' })),
    run_id: Type.Optional(Type.String()),
  },
  open,
)
const Problem = Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })

export const ok = (fields: Readonly<Record<string, TSchema>> = {}) => Type.Object({ ok: Type.Boolean(), ...fields })
export const list = (schema: TSchema) => Type.Array(schema)
export const RulesetCheckAnswer = ok({ errors: Type.Array(Problem), warnings: Strings, ruleset: RulesetAnswer })
export const PreviewAnswer = ok({ preview: PlanAnswer })
export const RunAnswer = ok({ result: ResultAnswer })
export const AcceptedAnswer = ok({ accepted: Type.Boolean(), job_id: Type.String(), progress_id: Type.String() })
const flags = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Boolean()]))
export const ProviderAnswer = Type.Object(
  {
    provider: Type.String(),
    instance: Type.String(),
    label: Type.String(),
    configured: Type.Boolean(),
    capabilities: Type.Object({
      ...flags('read', 'create', 'add', 'remove', 'reorder', 'smart', 'smart_writable'),
      media_types: Strings,
      endpoint_types: Strings,
      ordered_endpoint_types: Strings,
      unordered_endpoint_types: Strings,
      ...flags('fixed_endpoints', 'bidirectional', 'unordered', 'destructive_remove'),
      remove_warning: Type.Optional(Type.String()),
      requires_ids: Type.Optional(Strings),
    }),
  },
  open,
)
export const ResourceAnswer = Type.Object(
  {
    provider: Type.String(),
    instance: Type.String(),
    id: Type.String(),
    name: Type.String(),
    kind: Type.String(),
    smart: Type.Boolean(),
    can_read: Type.Boolean(),
    can_add: Type.Boolean(),
    can_remove: Type.Boolean(),
    can_reorder: Type.Boolean(),
    writable: Type.Boolean(),
    media_types: Strings,
    extra: Type.Object({
      endpoint_type: Type.String(),
      raw_id: Type.String(),
      ...flags('dynamic', 'fixed', 'ordered', 'can_create', 'can_rename', 'can_delete', 'destructive_remove'),
      warnings: Strings,
      remove_warning: Type.Optional(Type.String()),
      item_count: Type.Optional(Whole),
      private: Type.Optional(Type.Boolean()),
      owner: Type.Optional(Type.String()),
      section_id: Type.Optional(Type.String({ description: 'The library of a collection.' })),
      updated_at: Type.Optional(Type.String()),
      read_only: Type.Optional(Type.String()),
    }),
  },
  open,
)
export const SummaryAnswer = Type.Object({
  total_mappings: Whole,
  enabled_mappings: Whole,
  endpoints: Whole,
  last_sync_epoch: orNull(Whole),
  unresolved: Whole,
  warnings: Strings,
})
