// Routes of the persons: list with suggestions, add, change, remove.
import { oneOf, orNull, PERSON_COLORS, type PersonColor, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import type { Guests } from './guests.ts'
import type { Household, PersonChange } from './household.ts'

const Text = Type.String()
const Uid = Type.String({ minLength: 1, maxLength: 64 })
const AccountRow = Type.Object({
  uid: Type.String({ description: 'As in `GET /api/connections`.' }),
  provider: Text,
  instance: Text,
  label: Text,
  user: orNull(Type.String({ description: 'Name of the user at the service, if it is known.' })),
})
const PersonRow = Type.Object({ id: Text, name: Text, color: oneOf(PERSON_COLORS), accounts: Type.Array(AccountRow) })
const Answer = Type.Object({
  ok: Type.Boolean(),
  persons: Type.Array(PersonRow),
  accounts: Type.Array(AccountRow, { description: 'Accounts without an owner.' }),
  suggestions: Type.Array(
    Type.Object({
      person: orNull(Type.String({ description: 'The id of the person who gets them; null: a new one.' })),
      name: Text,
      accounts: Type.Array(Text, { description: 'Uids.' }),
      reason: oneOf(['same_name', 'paired']),
    }),
    { description: 'Accounts that may belong to one person. Nothing is assigned before a request.' },
  ),
})
// No half of a surrogate pair, and something other than spaces.
export const Name = Type.String({ minLength: 1, maxLength: 40, pattern: '^\\P{Cs}*[^\\s\\p{Cs}]\\P{Cs}*$' })
const Fields = {
  color: Type.Optional(oneOf<PersonColor>(PERSON_COLORS)),
  accounts: Type.Optional(Type.Array(Uid, { maxItems: 200, uniqueItems: true, description: 'Uids, all of them.' })),
}
const AddBody = Type.Object({ name: Name, ...Fields }, { additionalProperties: false })
const ChangeBody = Type.Object({ name: Type.Optional(Name), ...Fields }, { additionalProperties: false })
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
const Done = Type.Object({ ok: Type.Boolean(), id: Text })

interface OfPerson {
  readonly Params: { readonly id: string }
}

export function registerRoutes(app: PluginApp, household: Household, guests: Pick<Guests, 'sweep'>): void {
  app.get(
    '/api/persons',
    {
      ...skipSerializer,
      schema: { summary: 'The persons of the household and their accounts', response: { 200: Answer } },
    },
    async () => ({ ok: true, ...(await household.overview()) }),
  )

  app.post<{ Body: PersonChange & { readonly name: string } }>(
    '/api/persons',
    { ...skipSerializer, schema: { summary: 'Add a person', body: AddBody, response: { 200: Done } } },
    async ({ body }) => ({ ok: true, id: await household.add(body) }),
  )

  app.put<OfPerson & { Body: PersonChange }>(
    '/api/persons/:id',
    {
      ...skipSerializer,
      schema: { summary: 'Change a person', params: ById, body: ChangeBody, response: { 200: Done } },
    },
    async ({ params, body }) => {
      await household.change(params.id, body)
      return { ok: true, id: params.id }
    },
  )

  app.delete<OfPerson>(
    '/api/persons/:id',
    {
      ...skipSerializer,
      schema: { summary: 'Remove a person; the accounts stay', params: ById, response: { 200: Done } },
    },
    async ({ params }) => {
      await household.remove(params.id)
      // A sign-in that a link of the person began must not be completed.
      await guests.sweep()
      return { ok: true, id: params.id }
    },
  )
}
