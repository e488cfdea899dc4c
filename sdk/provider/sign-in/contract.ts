// How people sign in, as clients see it.

export type SignInMethod =
  | 'password'
  | 'device_pin'
  | 'device_code'
  | 'quick_connect'
  | 'oauth'
  | 'request_token'
  | 'api_key'
  | 'tv_login'
  | 'local'

export interface SignInField {
  /** `<section>.<path>` of the setting, for example `mediaB.server`. */
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'password' | 'bool' | 'number'
  readonly required: boolean
  readonly placeholder?: string
  readonly readonly?: boolean
  /** The methods that use it. Absent: all of them, unless its name implies a method. */
  readonly methods?: readonly SignInMethod[]
}

/** How people sign in; shown as `GET /api/auth/providers`. */
export interface SignInDescription {
  readonly flow: 'device_pin' | 'device_code' | 'oauth' | 'oauth2' | 'api_keys' | 'token' | 'tv_login' | 'local'
  readonly methods: readonly SignInMethod[]
  readonly fields: readonly SignInField[]
  readonly actions: {
    readonly start: boolean
    readonly finish: boolean
    readonly refresh: boolean
    readonly disconnect: boolean
  }
  readonly verifyUrl: string | null
  readonly notes: string | null
  /** The methods that the notes are about. Absent: all of them. */
  readonly notesFor?: readonly SignInMethod[]
  /**
   * The start routes take the fields in their body and store them with the tokens, so that working tokens keep their
   * application until then. Otherwise PIN and browser sign-ins store the fields before they start.
   */
  readonly fieldsAtStart?: boolean
  /**
   * Field of the body of the `save` route for the text that the service's page shows to copy, usually a token. For a
   * service that offers an application without a secret no other sign-in. The start route answers `paste: true` if it
   * named such a page, and an application that ships is enough for it.
   */
  readonly pasted?: string
  /** Overrides the sign-in ways derived from methods, fields and routes. */
  readonly ways?: readonly SignInWay[]
  /** Overrides the user selection derived from routes. */
  readonly people?: PeopleOperations
}

export interface ApiCall {
  readonly method: string
  readonly path: string
  /** Names of query parameters; `instance` is the profile. */
  readonly query: readonly string[]
  /** Names of fields of the body. */
  readonly body: readonly string[]
}

export interface SignInWay {
  readonly method: SignInMethod
  /**
   * - `form`: only `start`.
   * - `code`: `start` returns a code to enter elsewhere; then `poll`.
   * - `redirect`: `start` returns the address of a confirmation page; then `poll`.
   * - `none`: no sign-in.
   */
  readonly kind: 'form' | 'code' | 'redirect' | 'none'
  readonly title: string
  readonly help: string | null
  /** JSON schema of the form; null if there are no fields. */
  readonly form: Readonly<Record<string, unknown>> | null
  /** Stores the form values before `start`. A body of `values` takes all of them as one object. */
  readonly prepare: ApiCall | null
  readonly start: ApiCall | null
  readonly poll: ApiCall | null
  readonly finish: ApiCall | null
  readonly cancel: ApiCall | null
  /** Field of the body for the text that the page shows to copy, if `start` answered `paste: true`. Null: never. */
  readonly paste?: ApiCall | null
  /** Fields of the `start` response with the code and the address. */
  readonly shows: { readonly code: string | null; readonly url: string | null }
}

/** Users at the service that a profile can select; `choose` is null if the list is read-only. */
export interface PeopleOperations {
  readonly list: ApiCall
  /** Name of the list in the answer, and of its fields. */
  readonly rows: string
  readonly id: string
  readonly label: string
  readonly choose: ApiCall | null
  /** Body field for the id. */
  readonly send: string
  /** Row field that is true for selectable users; absent: all. */
  readonly only?: string
  /** Rows with this field as true require a secret: its label and body field. */
  readonly secret?: { readonly when: string; readonly label: string; readonly send: string }
}

export interface ProviderOperations {
  readonly ways: readonly SignInWay[]
  readonly users: PeopleOperations | null
  readonly disconnect: ApiCall | null
  readonly refresh: ApiCall | null
}
