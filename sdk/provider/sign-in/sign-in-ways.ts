// Describes sign-in for generic clients: operations to call and forms to fill. Derived from the declared methods and
// fields and the manifest's routes; `signIn.ways` overrides them.
import type { RouteDeclaration } from '../../manifest.ts'
import type { SignInDescription, SignInField, SignInMethod } from './contract.ts'
import type { ApiCall, SignInWay, PeopleOperations, ProviderOperations } from './contract.ts'

interface Known {
  readonly kind: SignInWay['kind']
  readonly title: string
  readonly starts: readonly string[]
  readonly finish?: string
  readonly shows?: Partial<SignInWay['shows']>
  /** The routes do not store form values. */
  readonly storesNothing?: boolean
}

const METHODS: Readonly<Record<SignInMethod, Known>> = {
  password: { kind: 'form', title: 'Name and password', starts: ['login'] },
  api_key: { kind: 'form', title: 'API key', starts: ['save'] },
  device_pin: {
    kind: 'code',
    title: 'PIN',
    starts: ['pin/new', 'pin/start'],
    shows: { code: 'code', url: 'verification_url' },
    storesNothing: true,
  },
  device_code: {
    kind: 'code',
    title: 'Code',
    starts: ['device/start', 'pin/new'],
    shows: { code: 'user_code', url: 'verification_url' },
  },
  quick_connect: { kind: 'code', title: 'Quick Connect', starts: ['quickconnect/start'], shows: { code: 'code' } },
  tv_login: {
    kind: 'code',
    title: 'Link',
    starts: ['device/start'],
    finish: 'device/finish',
    shows: { code: 'code', url: 'login_url' },
  },
  oauth: {
    kind: 'redirect',
    title: 'In the browser',
    starts: ['authorize'],
    shows: { url: 'authorize_url' },
    storesNothing: true,
  },
  request_token: { kind: 'redirect', title: 'In the browser', starts: ['connect/start'], shows: { url: 'auth_url' } },
  local: { kind: 'none', title: 'Built into Playhead', starts: [] },
}

export interface OperationsInput {
  readonly id: string
  readonly token: string
  readonly section: string | null
  readonly routes: readonly RouteDeclaration[]
  readonly signIn: SignInDescription
  /** An application ships with the plugin: signing in with a code needs none of the person's own. */
  readonly shipsApplication: boolean
}

/** Whether a field names the person's own application. */
export function isApplicationField(field: SignInField): boolean {
  return ['client_id', 'client_secret'].includes(nameOf(field))
}

export function operationsOf({
  id,
  token,
  section,
  routes,
  signIn,
  shipsApplication,
}: OperationsInput): ProviderOperations {
  const base = `/api/${token}/`
  const names = signIn.fields.map(nameOf)
  const found = (paths: readonly string[], body: readonly string[] = []): ApiCall | null => {
    const route = paths
      .map((path) => routes.find((one) => one.path === base + path && (one.method === 'POST' || one.method === 'GET')))
      .find((one) => one !== undefined)
    return route === undefined ? null : { method: route.method, path: route.path, query: ['instance'], body }
  }
  const general = (what: string): ApiCall => ({
    method: 'POST',
    path: `/api/auth/sign-in/${id}/${what}`,
    query: [],
    body: ['instance', 'method'],
  })
  const settings: ApiCall | null =
    section === null || names.length === 0
      ? null
      : { method: 'PUT', path: `/api/config/sections/${section}`, query: ['instance'], body: ['values'] }

  const ways = signIn.methods.map((method): SignInWay => {
    const { kind, title, starts, finish, shows = {}, storesNothing = false } = METHODS[method]
    const lasts = kind === 'code' || kind === 'redirect'
    // A page sends the browser back only to an address that the application names, so the person needs an application
    // of their own, unless they copy the text that the page shows.
    const isPasted = kind === 'redirect' && signIn.pasted !== undefined
    const isShipped = shipsApplication && (kind === 'code' || isPasted)
    const fields = signIn.fields.filter((field) => isFor(field, method) && !(isShipped && isApplicationField(field)))
    const storesBefore = storesNothing && signIn.fieldsAtStart !== true && fields.length > 0
    const atStart = fields.map(nameOf)
    return {
      method,
      kind,
      title,
      help: isShipped || signIn.notesFor?.includes(method) === false ? null : signIn.notes,
      form: kind === 'none' || fields.length === 0 ? null : formOf(fields),
      prepare: storesBefore ? settings : null,
      start: found(
        starts,
        method === 'oauth' ? ['origin', ...(signIn.fieldsAtStart === true ? atStart : [])] : atStart,
      ),
      poll: lasts ? general('poll') : null,
      finish: finish === undefined ? null : found([finish]),
      cancel: lasts ? general('cancel') : null,
      paste: isPasted ? found(['save'], [signIn.pasted]) : null,
      shows: { code: shows.code ?? null, url: shows.url ?? null },
    }
  })
  return {
    ways: signIn.ways ?? ways,
    users: signIn.people ?? usersOf(found),
    disconnect: found(['disconnect', 'token/delete']),
    refresh: signIn.actions.refresh ? found(['refresh']) : null,
  }
}

function usersOf(
  found: (paths: readonly string[], body?: readonly string[]) => ApiCall | null,
): PeopleOperations | null {
  const choose = found(['profile/select'], ['profile_id'])
  const profiles = found(['profiles'])
  if (profiles !== null)
    return { list: profiles, rows: 'profiles', id: 'profile_id', label: 'name', choose, send: 'profile_id' }
  const users = found(['pickusers', 'users'])
  return users === null ? null : { list: users, rows: 'users', id: 'id', label: 'username', choose: null, send: '' }
}

// A server code needs the address but no password; a PIN needs the application's id but not its secret.
function isFor({ key, methods }: SignInField, method: SignInMethod): boolean {
  if (methods !== undefined) return methods.includes(method)
  const name = key.slice(key.lastIndexOf('.') + 1)
  if (method === 'quick_connect') return name !== 'username' && name !== 'password'
  if (method === 'device_pin') return name !== 'client_secret'
  return method !== 'device_code' || name !== 'api_key'
}

function formOf(fields: readonly SignInField[]): Readonly<Record<string, unknown>> {
  const required = fields.filter((field) => field.required).map(nameOf)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [
        nameOf(field),
        {
          type: field.type === 'bool' ? 'boolean' : field.type === 'number' ? 'number' : 'string',
          title: field.label,
          ...(field.type === 'password' ? { format: 'password' } : {}),
          ...(field.placeholder === undefined ? {} : { examples: [field.placeholder] }),
          ...(field.readonly === true ? { readOnly: true } : {}),
        },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}

function nameOf({ key }: SignInField): string {
  return key.slice(key.indexOf('.') + 1)
}
