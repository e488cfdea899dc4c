// Parses a pair from a client. Older spellings are accepted; invalid values are rejected with their path.
import {
  AcrossPersons,
  FEATURES,
  PlayheadError,
  Type,
  type Feature,
  type FeatureOptions,
  type Static,
  type TSchema,
} from '@playhead/sdk'
import { readFlag } from '@playhead/sdk/sync'

const optional = <Schemas extends TSchema[]>(...schemas: [...Schemas]) =>
  Type.Optional(Type.Union([...schemas, Type.Null()]))
const Text = optional(Type.String({ maxLength: 200 }))
const Name = Type.String({ maxLength: 40 })
const Options = Type.Object({}, { additionalProperties: true })

/** A pair as clients send it. Unknown keys are ignored. */
export const PairBody = Type.Object(
  {
    id: Text,
    name: Text,
    source: Text,
    source_instance: Text,
    target: Text,
    target_instance: Text,
    mode: optional(Type.Literal('one_way'), Type.Literal('two_way'), Type.Literal('one-way'), Type.Literal('two-way')),
    enabled: optional(Type.Boolean()),
    features: optional(Type.Record(Name, Type.Union([Type.Boolean(), Type.String({ maxLength: 10 }), Options]))),
    providers: optional(Type.Record(Name, Type.Union([Type.Boolean(), Options]))),
    profile_id: Text,
    across_persons: AcrossPersons,
  },
  { additionalProperties: true, title: 'PairRequest' },
)
export type PairBody = Static<typeof PairBody>

export interface Problem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** A well-formed request that cannot be fulfilled: 422 with the validation body. */
export function refuse(problems: readonly Problem[]): PlayheadError {
  return new PlayheadError(
    'PLH_CONFIG_INVALID',
    problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '),
    { wire: 'invalid_pair', details: { detail: problems } },
  )
}

export function problem(field: string, msg: string, type = 'value_error'): Problem {
  return { loc: ['body', ...field.split('.')], msg, type }
}

/** Normalises the options of a feature; undefined while its plugin is off. */
type Normalise = (feature: Feature, options: Readonly<Record<string, unknown>>) => Promise<FeatureOptions | undefined>

/**
 * The features of a pair. Unknown features are rejected. While a feature's plugin is off, its options are stored
 * unchanged.
 */
export async function readFeatures(
  sent: NonNullable<PairBody['features']>,
  defaults: { readonly add: boolean; readonly remove: boolean },
  normalise: Normalise,
): Promise<{
  readonly features: { readonly [feature in Feature]?: FeatureOptions }
  readonly problems: readonly Problem[]
}> {
  const problems: Problem[] = []
  const features: { [feature in Feature]?: FeatureOptions } = {}
  for (const [name, value] of Object.entries(sent)) {
    const feature = FEATURES.find((one) => one === name)
    if (feature === undefined) {
      problems.push(problem(`features.${name}`, `is no feature; there are ${FEATURES.join(', ')}`))
      continue
    }
    const options = typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : { enabled: value }
    const switches = readSwitches(options, defaults)
    if (switches === undefined) {
      problems.push(problem(`features.${name}`, 'enabled, add and remove are true or false', 'bool_parsing'))
      continue
    }
    const { enable: _older, supported: _shown, ...rest } = options
    const candidate = { ...rest, ...switches }
    try {
      features[feature] = (await normalise(feature, candidate)) ?? candidate
    } catch (error) {
      if (!(error instanceof PlayheadError) || error.code !== 'PLH_INVALID') throw error
      problems.push(problem(`features.${name}`, error.message))
    }
  }
  return { features, problems }
}

// `enable` is the older name. A listed feature is enabled unless it is set to false.
function readSwitches(
  { enable, enabled, add, remove }: Readonly<Record<string, unknown>>,
  defaults: { readonly add: boolean; readonly remove: boolean },
) {
  const switches = {
    enabled: readFlag(enabled ?? enable ?? true),
    add: readFlag(add ?? defaults.add),
    remove: readFlag(remove ?? defaults.remove),
  }
  return Object.values(switches).includes(undefined) ? undefined : (switches as Record<keyof typeof switches, boolean>)
}
