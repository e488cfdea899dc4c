// Sign-in manifests: how to connect each provider, as data and as HTML cards.
import type {
  FeatureSupport,
  ApiCall,
  PeopleOperations,
  ProviderDescription,
  SignInDescription,
  SignInWay,
} from '@playhead/sdk'
import type { LiveProvider, MissingProvider } from './directory.ts'

interface Manifest {
  readonly name: string
  readonly label: string
  readonly flow: SignInDescription['flow'] | ''
  readonly methods: SignInDescription['methods']
  readonly fields: SignInDescription['fields']
  readonly actions: SignInDescription['actions']
  readonly verify_url: string | null
  readonly notes: string | null
  readonly group: ProviderDescription['group']
  readonly token: string
  readonly version: string
  readonly vendor: string | null
  readonly description: string | null
  readonly notice: string | null
  readonly section: string | null
  readonly bidirectional: boolean
  readonly features: {
    readonly [feature: string]: Pick<FeatureSupport, 'read' | 'add' | 'update' | 'remove' | 'kinds'>
  }
  readonly lists: boolean
  readonly sign_in: readonly SignInWay[]
  readonly users: PeopleOperations | null
  /** One account can act for other users of the server. */
  readonly people: boolean
  readonly libraries: ApiCall | null
  readonly disconnect: ApiCall | null
  readonly refresh: ApiCall | null
  readonly available: boolean
  /** Error code of a provider that does not work. */
  readonly error?: string
}

/** Sorted by name. */
export function manifestsOf(live: readonly LiveProvider[], missing: readonly MissingProvider[]): readonly Manifest[] {
  const working = live.map(
    ({ about: { id, label, group, signIn, ...about } }): Manifest => ({
      name: id,
      label,
      flow: signIn.flow,
      methods: signIn.methods,
      fields: signIn.fields.map(({ methods: _, ...field }) => field),
      actions: signIn.actions,
      verify_url: signIn.verifyUrl,
      notes: signIn.notes,
      group,
      token: about.token,
      version: about.version,
      vendor: about.vendor,
      description: about.description,
      notice: about.notice ?? null,
      section: about.section ?? null,
      bidirectional: about.bidirectional,
      features: Object.fromEntries(
        Object.entries(about.features).map(([name, { read, add, update, remove, kinds }]) => [
          name,
          { read, add, update, remove, kinds },
        ]),
      ),
      lists: about.lists !== undefined,
      sign_in: about.operations?.ways ?? [],
      users: about.operations?.users ?? null,
      people: about.users === true,
      libraries:
        group === 'media_server'
          ? { method: 'GET', path: `/api/connections/${id}/{instance}/libraries`, query: [], body: [] }
          : null,
      disconnect: about.operations?.disconnect ?? null,
      refresh: about.operations?.refresh ?? null,
      available: true,
    }),
  )
  const broken = missing.map(
    ({ id, token, label, error }): Manifest => ({
      name: id,
      label,
      flow: '',
      methods: [],
      fields: [],
      actions: { start: false, finish: false, refresh: false, disconnect: false },
      verify_url: null,
      notes: null,
      group: 'other',
      token,
      version: '',
      vendor: null,
      description: null,
      notice: null,
      section: null,
      bidirectional: false,
      features: {},
      lists: false,
      sign_in: [],
      users: null,
      people: false,
      libraries: null,
      disconnect: null,
      refresh: null,
      available: false,
      error,
    }),
  )
  return [...working, ...broken].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const GROUPS: readonly (readonly [ProviderDescription['group'], string])[] = [
  ['media_server', 'Media servers'],
  ['tracker', 'Trackers'],
  ['client', 'Media clients'],
  ['other', 'Others'],
]

export function cardsOf(manifests: readonly Manifest[]): string {
  const sections = GROUPS.map(([group, title]) => {
    const cards = manifests.filter((manifest) => manifest.group === group).map(cardOf)
    return `<section class="provider-group" data-group="${group}">\n<h2>${title}</h2>\n${cards.join('\n')}\n</section>`
  })
  return `${sections.join('\n')}\n`
}

function cardOf({ name, label, fields, notes, verify_url: verifyUrl, available, error }: Manifest): string {
  const parts = [
    `<h3>${escapeText(label)}</h3>`,
    ...(available ? [] : [`<p class="provider-error">Not available: ${escapeText(error ?? '')}</p>`]),
    ...(notes === null ? [] : [`<p>${escapeText(notes)}</p>`]),
    ...fields.map(fieldOf),
    ...(verifyUrl !== null && /^https?:\/\//i.test(verifyUrl)
      ? [
          `<p><a href="${escapeText(verifyUrl)}" rel="noopener noreferrer" target="_blank">${escapeText(verifyUrl)}</a></p>`,
        ]
      : []),
  ]
  return `<article class="provider-card" data-provider="${escapeText(name)}">${parts.join('')}</article>`
}

function fieldOf({ key, label, type, required, placeholder, readonly }: SignInDescription['fields'][number]): string {
  const inputType = type === 'bool' ? 'checkbox' : type
  const more = [
    ...(placeholder === undefined ? [] : [` placeholder="${escapeText(placeholder)}"`]),
    ...(required ? [' required'] : []),
    ...(readonly === true ? [' readonly'] : []),
  ]
  return `<label>${escapeText(label)} <input name="${escapeText(key)}" type="${escapeText(inputType)}"${more.join('')}></label>`
}

// Labels come from plugins.
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)
}
