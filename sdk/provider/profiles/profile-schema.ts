// Derives a provider plugin's settings schema from that of one profile: the top level is the default profile plus
// `label`, and `instances` contains further profiles. Their fields have no defaults, so that absent values are
// recognizable.
import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import { isSecretPath } from '../../secrets.ts'

/** `MEDIAB-P01`; the provider part is checked on use. */
const INSTANCE_PATTERN = '^[A-Z][A-Z0-9_]*-P[0-9]{2}$'

export interface ProfileShape {
  /** Settings of the plugin. */
  readonly section: TObject
  /** Settings of one profile, with its label. */
  readonly profile: TObject
  /** Dotted paths of all secrets in the schema. */
  readonly secrets: readonly string[]
  /** Dotted paths of the addresses that secrets are bound to, by path of the secret. */
  readonly boundTo: ReadonlyMap<string, string>
}

/** Set by the kit, as `ActsAs`. */
const ActsAsSetting = Type.Object(
  {
    via: Type.String(),
    id: Type.String(),
    account: Type.String(),
    name: Type.String(),
    mark: Type.Optional(Type.String()),
    gone: Type.Optional(Type.Boolean()),
  },
  { readOnly: true, description: 'The user as whom this profile acts, and the profile that signed in.' },
)

/**
 * Throws TypeError for invalid profile settings.
 *
 * @param actsAsUsers further profiles may act as users of a server through another profile's sign-in
 */
export function shapeOf(definition: TObject, actsAsUsers = false): ProfileShape {
  for (const name of ['instances', 'label', 'acts_as']) {
    if (Object.hasOwn(definition.properties, name))
      throw new TypeError(`The settings of a profile cannot have the key "${name}"; the kit adds it.`)
  }
  const secrets: string[] = []
  const boundTo = new Map<string, string>()
  walk(definition, [], (path, property, beside) => {
    if (property['secret'] === true || isSecretPath(path)) secrets.push(path.join('.'))
    const address = property['boundTo'] as string | undefined
    if (address === undefined) return
    if (beside.properties[address]?.['inherit'] === true) {
      throw new TypeError(
        `"${address}" is an address that a secret is bound to; it cannot be inherited from another profile.`,
      )
    }
    boundTo.set(path.join('.'), [...path.slice(0, -1), address].join('.'))
  })

  const label = Type.String({ default: '', title: 'Name in Playhead', description: 'At most 12 characters.' })
  const profile = Type.Object({ ...definition.properties, label }, { additionalProperties: true })
  const addresses = new Set(boundTo.values())
  const further = actsAsUsers ? Type.Object({ ...profile.properties, acts_as: Type.Optional(ActsAsSetting) }) : profile
  const instance = { ...partial(further, [], addresses), additionalProperties: true } as TObject
  const section = Type.Object(
    {
      ...profile.properties,
      instances: Type.Record(Type.String({ pattern: INSTANCE_PATTERN }), instance, {
        default: {},
        description: 'Further profiles, by id.',
      }),
    },
    { additionalProperties: true },
  )
  return { section, profile, secrets, boundTo }
}

function walk(
  schema: TObject,
  path: readonly string[],
  visit: (path: readonly string[], property: TSchema, beside: TObject) => void,
): void {
  for (const [name, property] of Object.entries(schema.properties)) {
    visit([...path, name], property, schema)
    if (property['properties'] !== undefined) walk(property as TObject, [...path, name], visit)
  }
}

// An address keeps its default: a change of address is detected by comparing with the previous value.
function partial(schema: TSchema, path: readonly string[], addresses: ReadonlySet<string>): TSchema {
  const { default: _default, required: _required, ...rest } = schema
  const properties = schema['properties'] as Readonly<Record<string, TSchema>> | undefined
  if (properties === undefined) return rest as TSchema
  const kept = Object.keys(properties).filter(
    (name) => addresses.has([...path, name].join('.')) && (properties[name]?.default ?? '') !== '',
  )
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        kept.includes(name) ? property : partial(property, [...path, name], addresses),
      ]),
    ),
    ...(kept.length === 0 ? {} : { required: kept }),
  } as unknown as TSchema
}

/** True for a path that is secret by schema or by name. */
export function isSecretOf(shape: ProfileShape, path: string): boolean {
  return (
    shape.secrets.some((secret) => path === secret || path.startsWith(`${secret}.`)) || isSecretPath(path.split('.'))
  )
}
