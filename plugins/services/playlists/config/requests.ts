// Requests that save an endpoint or a mapping. Absent fields keep their value.
import { AcrossPersons, orNull, type Static, Type } from '@playhead/sdk'

const open = { additionalProperties: true }
const Text = (maxLength = 300) => Type.Optional(orNull(Type.String({ maxLength })))
const Flag = Type.Optional(orNull(Type.Boolean()))
const Id = Type.Union([
  Type.String({ maxLength: 100 }),
  Type.Object({ id: Type.Optional(Type.String({ maxLength: 100 })) }, open),
])

export const EndpointBody = Type.Object(
  {
    id: Text(100),
    name: Text(),
    provider: Text(100),
    instance: Text(100),
    playlist_id: Text(),
    playlist_name: Text(),
    playlist_type: Text(40),
    endpoint_type: Text(40),
    create: Type.Optional(orNull(Type.Boolean({ description: 'Creates the list at the provider.' }))),
    create_name: Type.Optional(
      orNull(Type.String({ maxLength: 300, description: 'Title of the new list. Default: name.' })),
    ),
    media_type: Type.Optional(
      orNull(Type.String({ maxLength: 40, description: 'For a new list: movie, show, … or collection.' })),
    ),
    library: Type.Optional(
      orNull(Type.String({ maxLength: 300, description: 'For a new collection: the key of its library.' })),
    ),
    across_persons: AcrossPersons,
  },
  { ...open, title: 'PlaylistEndpointRequest' },
)

const MappingFields = Type.Object(
  {
    id: Text(100),
    name: Text(),
    source_endpoint: Type.Optional(orNull(Id)),
    target_endpoints: Type.Optional(orNull(Type.Array(Id, { maxItems: 100, description: 'In the order of filling.' }))),
    ruleset_id: Text(100),
    membership: Text(40),
    order: Text(40),
    enabled: Flag,
    allow_mass_delete: Flag,
    confirm_destructive: Flag,
    across_persons: AcrossPersons,
  },
  open,
)
export const MappingBody = Type.Object(
  { ...MappingFields.properties, mapping: Type.Optional(MappingFields) },
  { ...open, title: 'PlaylistMappingRequest' },
)
export type EndpointInput = Static<typeof EndpointBody>
export type MappingInput = Static<typeof MappingFields>
