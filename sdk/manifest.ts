// Schemas of plugin.json and of the plugin registries, which the host reads before it runs any plugin code. The JSON
// schemas for editors (plugin.schema.json, registry.schema.json) are generated from here.
import { Type, type Static, type TLiteral, type TUnion } from '@sinclair/typebox'
import { TOKEN_SCOPES } from './caller.ts'
import { DATA_GROUPS } from './data.ts'

type TLiterals<Values extends string> = TUnion<TLiteral<Values>[]>

/** The version of this SDK's contract; a plugin's `api` range is checked against it. */
export const SDK_VERSION = '1.0.0'

export const PLUGIN_KINDS = ['provider', 'feature', 'analyzer', 'exporter', 'importer', 'notifier', 'service'] as const
export type PluginKind = (typeof PLUGIN_KINDS)[number]

const literals = <const T extends readonly string[]>(values: T): TLiterals<T[number]> =>
  Type.Union(values.map((value) => Type.Literal(value))) as never

const CapabilityToken = Type.String({
  pattern: '^[a-z][a-z0-9-]*(:[A-Za-z0-9_-]+)?(@.+)?$',
  description:
    'A capability, for example provider:MEDIAB or metadata:resolve; in requires and optional a version range may follow after @.',
})

export const RouteDeclaration = Type.Object(
  {
    method: literals(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const),
    path: Type.String({ pattern: '^/[^\\s]*$', description: 'The full path, with :name for parameters.' }),
    auth: Type.Optional(literals(['P', 'S', 'SS', 'W', 'T'] as const)),
    duringSetup: Type.Optional(
      Type.Boolean({ description: 'Answer although no account exists yet. Default false (always true for W).' }),
    ),
    effects: Type.Optional(
      Type.Boolean({
        description: 'A GET that changes something or sends credentials: the origin check applies to it.',
      }),
    ),
    scope: Type.Optional(
      Type.Union(
        [...TOKEN_SCOPES, 'session' as const].map((scope) => Type.Literal(scope)),
        {
          description:
            'What an API token needs for this route; session: no token may call it. Default read for a GET without effects, admin for other routes of a provider, write for the rest.',
        },
      ),
    ),
    whenDown: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ minimum: 200, maximum: 599 }),
          body: Type.Unknown(),
          keep: Type.Optional(
            Type.Boolean({
              description:
                'For auth W: the request is kept on disk and delivered when the plugin is running again, up to 14 days later.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'The answer while the plugin is off, for callers that must not see a failure.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'auth: P public, S session, SS open during setup, W a webhook with a token of its own, T as S, or a bearer token that the plugin accepts (acceptsToken in definePlugin). Default S. S, SS and T accept API tokens, see scope.',
  },
)
export type RouteDeclaration = Static<typeof RouteDeclaration>

export const PluginNeeds = Type.Object(
  {
    hosts: Type.Optional(
      Type.Array(Type.String({ pattern: '^(\\*\\.)?[A-Za-z0-9.-]+(:\\d+)?$|^config:[A-Za-z0-9_.]+$' }), {
        description:
          'Hosts the plugin may reach: a name, *.name, config:<path> for an address in the settings, or ' +
          'entered for an address that a person just entered, or that the service named for their account.',
      }),
    ),
    storage: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes of key-value storage. Default 5 MiB.' })),
    database: Type.Optional(
      Type.Boolean({ description: 'The plugin may open database files of its own, on worker threads.' }),
    ),
    files: Type.Optional(
      Type.Array(literals(['captures', 'backups', 'reports', 'exports', 'cache', 'imports'] as const), {
        description: 'Shared folders of the data directory that the plugin reads and writes.',
      }),
    ),
    listFiles: Type.Optional(
      Type.Boolean({ description: 'The plugin may list every shared folder (names and sizes only).' }),
    ),
    inspect: Type.Optional(
      Type.Boolean({
        description: 'The plugin may read all settings, with secrets masked, and the details and jobs of all plugins.',
      }),
    ),
    data: Type.Optional(
      Type.Boolean({
        description: 'The plugin may copy, check, repair and replace everything in the data directory, keys included.',
      }),
    ),
    directory: Type.Optional(
      Type.Boolean({
        description: 'The plugin may bring signed lists of plugins, and put up their versions for a review.',
      }),
    ),
    memory: Type.Optional(
      Type.Integer({
        minimum: 64,
        maximum: 4096,
        description: 'Megabytes that a plugin with a thread of its own may use. Default 256.',
      }),
    ),
    builtins: Type.Optional(
      Type.Array(Type.String({ pattern: '^node:' }), {
        description: 'Node modules beyond the safe ones, shown to the user when the plugin is added.',
      }),
    ),
    hooks: Type.Optional(
      Type.Array(Type.String({ pattern: '^(event:)?[A-Za-z*][\\w:.*/-]*$', maxLength: 200 }), {
        description:
          'Hooks that the plugin taps, and events that it listens to as event:<name>. A plugin from an npm package taps and follows only these; plugin pack fills them in.',
      }),
    ),
    secrets: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\w.*-]+$', maxLength: 200 }), {
        description:
          'Secret fields of the settings, which people enter for the plugin. Required for a plugin from an npm package; plugin pack fills them in.',
      }),
    ),
    signIn: Type.Optional(
      Type.Boolean({
        description:
          'External sign-in: the plugin may open a session for the person whose account is linked, shown to the user when it is added.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PluginNeeds = Static<typeof PluginNeeds>

const SectionName = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' })

const PageModule = Type.String({
  pattern: '^(?![./])(?!.*\\.\\.)[A-Za-z0-9._/-]+\\.(ts|tsx|js|jsx|mts|mjs)$',
  description: 'A module in the folder of the plugin that exports mount(element, host); see sdk/ui.ts.',
})
const PageTitle = Type.String({ minLength: 1, maxLength: 60 })
export const PluginMark = Type.Object(
  {
    color: Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'The colour of the service.' }),
    path: Type.Optional(
      Type.String({
        maxLength: 1_000,
        pattern: '^[MmLlHhVvCcSsQqTtAaZz0-9 ,.-]+$',
        description:
          'A white drawing on it: the d of an SVG path in a square of 24. Default: the first letter of the label.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'The sign of the service wherever its name stands: for providers, importers, exporters and notifiers. Default: grey, with the first letter of the label.',
  },
)
export type PluginMark = Static<typeof PluginMark>

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day in UTC: 2027-03-31.' })
const SettingPaths = Type.Array(Type.String({ pattern: '^\\w+(\\.\\w+)*$', maxLength: 200 }), {
  minItems: 1,
  maxItems: 20,
})
export const VendorNotice = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,59}$', description: 'Unique within the plugin.' }),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: 'What changes, in a few words. Default: a change at the service.',
      }),
    ),
    text: Type.String({ minLength: 1, maxLength: 500, description: 'What it means for the person, and what to do.' }),
    severity: Type.Optional(
      Type.Union([Type.Literal('info'), Type.Literal('warning'), Type.Literal('error')], {
        description: 'Default info.',
      }),
    ),
    endsSignIn: Type.Optional(
      Type.Unsafe<string>({
        ...Day,
        description:
          'The earliest day on which the vendor ends the sign-ins that it concerns: people are asked to sign in again before it, and warned in the last week.',
      }),
    ),
    from: Type.Optional(Day),
    until: Type.Optional(Day),
    link: Type.Optional(
      Type.String({ pattern: '^https://\\S+$', maxLength: 500, description: 'Where the vendor announces it.' }),
    ),
    when: Type.Optional(
      Type.Object(
        {
          present: Type.Optional(SettingPaths),
          missing: Type.Optional(SettingPaths),
          signedInBefore: Type.Optional(Day),
        },
        {
          additionalProperties: false,
          description:
            'For a provider: only accounts for which all of this holds. present, missing: settings of the profile that have a value, or none. signedInBefore: a day; sign-ins of unknown age count.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Shown among what needs attention: from the day `from` to the day `until`, to those whom it concerns. Of a provider, these are its connected accounts; of another plugin, everybody while it runs.',
  },
)
export type VendorNotice = Static<typeof VendorNotice>

const PluginUi = Type.Object(
  {
    pages: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({
              pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
              description: 'Last part of the address of the page.',
            }),
            title: PageTitle,
            icon: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Name of a Tabler icon.' })),
            module: PageModule,
          },
          { additionalProperties: false },
        ),
        { maxItems: 20 },
      ),
    ),
    panels: Type.Optional(
      Type.Array(
        Type.Object(
          { slot: literals(['home', 'connection', 'pair'] as const), title: PageTitle, module: PageModule },
          { additionalProperties: false },
        ),
        { maxItems: 20 },
      ),
    ),
  },
  { additionalProperties: false, description: 'Pages and panels of the plugin in the browser application.' },
)

export const PluginManifest = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    id: Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$', description: 'Equals the folder name.' }),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    notice: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'What a service asks to be said where its data are shown. It is on the page About, and at the connection of a provider.',
      }),
    ),
    notices: Type.Optional(
      Type.Array(VendorNotice, { maxItems: 20, description: 'What the vendor of the service has announced.' }),
    ),
    api: Type.String({ minLength: 1, description: 'Range of SDK versions, for example ^1.0.0.' }),
    kind: literals(PLUGIN_KINDS),
    entry: Type.Optional(
      Type.String({ pattern: '^[^/\\\\][^\\\\]*\\.(ts|js|mts|mjs)$', description: 'Default index.ts.' }),
    ),
    section: Type.Optional(
      Type.Union([SectionName, Type.Array(SectionName, { minItems: 1 })], {
        description:
          'The configuration section that the plugin owns; with a list, its settings are an object keyed by section. Default plugins.<id>.',
      }),
    ),
    provides: Type.Optional(Type.Array(CapabilityToken)),
    emits: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][\\w-]*$', maxLength: 80 }), {
        uniqueItems: true,
        description:
          'First parts of the names of its events beside its own id, such as "run" of run.finished. No other plugin emits these; what a plugin that ships declares cannot be declared by an added one.',
      }),
    ),
    requires: Type.Optional(Type.Array(CapabilityToken)),
    optional: Type.Optional(Type.Array(CapabilityToken)),
    routes: Type.Optional(Type.Array(RouteDeclaration)),
    activation: Type.Optional(
      Type.Array(Type.String({ pattern: '^(start|(event|kept):(\\*|[a-z][\\w-]*(\\.[\\w:-]+)*(\\.\\*)?))$' }), {
        description:
          'When the plugin is loaded, beside its first use: "start" at each start of the service, "event:<name>" for an event, by the name of its listener. An event of "kept:<name>" loads nothing: it is kept, and the listener gets it when the plugin is loaded.',
      }),
    ),
    logChannels: Type.Optional(
      Type.Array(
        Type.Object(
          {
            tag: Type.String({ pattern: '^[A-Z][A-Z0-9-]{0,31}$' }),
            watcher: Type.Optional(Type.Boolean({ description: 'Belongs to the set of /api/logs/watcher.' })),
          },
          { additionalProperties: false },
        ),
      ),
    ),
    isolation: Type.Optional(
      Type.Union([Type.Literal('thread'), Type.Literal('none')], {
        description:
          "thread: the plugin runs on a thread of its own, which ends alone if it hangs or runs out of memory. none: it runs in the service's thread. Default thread for plugins that are added, none for those that ship.",
      }),
    ),
    needs: Type.Optional(PluginNeeds),
    data: Type.Optional(
      Type.Object(
        {
          group: Type.Optional(
            Type.Union(
              DATA_GROUPS.map((group) => Type.Literal(group)),
              {
                description:
                  'What the files and databases of the plugin are for, which decides about backups and cleaning up. Default state; cache is for what can be made again.',
              },
            ),
          ),
          removed: Type.Optional(
            Type.Array(Type.String({ pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', maxLength: 64 }), {
              description:
                'Names of databases that only earlier versions opened, with what can be made again. They are deleted when this version runs; a rollback does not bring them back.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    ui: Type.Optional(PluginUi),
    mark: Type.Optional(PluginMark),
    provider: Type.Optional(
      Type.Object(
        {
          id: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }),
          token: Type.String({ pattern: '^[a-z][A-Za-z0-9_]*$' }),
          label: Type.String(),
          clientId: Type.Optional(
            Type.String({
              maxLength: 512,
              pattern: '^[A-Za-z0-9._-]*$',
              description:
                'Public client id of an application at the service that ships with the plugin, so that people need none of their own to sign in with a code. Their own one wins. Never a secret. Default: none.',
            }),
          ),
          popular: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100,
              description:
                'Place among the services that most people begin with, 1 first: the setup guide shows these before all others. Default: none.',
            }),
          ),
          terms: Type.Optional(
            Type.Object(
              {
                pairs: Type.Optional(
                  Type.String({
                    maxLength: 500,
                    description: 'Shown where an account is paired with one of another tracker or list service.',
                  }),
                ),
                captures: Type.Optional(
                  Type.String({
                    maxLength: 500,
                    description:
                      'Why captures of the schedule are off until a person switches them on. Default: they are on.',
                  }),
                ),
              },
              { additionalProperties: false, description: 'What the terms of the service say about uses of its data.' },
            ),
          ),
        },
        {
          additionalProperties: false,
          description: 'For providers: the id and token of the interface and the name shown to people.',
        },
      ),
    ),
  },
  { additionalProperties: false, title: 'Playhead plugin manifest' },
)
export type PluginManifest = Static<typeof PluginManifest>

export const PackageRelease = Type.Object(
  {
    version: Type.String(),
    range: Type.String({ description: 'What was asked for: an update takes such versions.' }),
    tarball: Type.String({ description: 'Where it was downloaded.' }),
    sha512: Type.String({ pattern: '^sha512-[A-Za-z0-9+/=]+$', description: 'Of the tarball.' }),
    folder: Type.String({ description: 'Relative to the registry file.' }),
    integrity: Type.String({ pattern: '^sha256-[A-Za-z0-9+/=]+$', description: 'Over the manifest and all sources.' }),
    asks: Type.Array(Type.String(), { description: 'What the manifest asks for.' }),
  },
  { additionalProperties: false },
)
export type PackageRelease = Static<typeof PackageRelease>

export const PluginPackage = Type.Object(
  {
    name: Type.String(),
    live: Type.Optional(PackageRelease),
    previous: Type.Optional(PackageRelease),
    staged: Type.Optional(PackageRelease),
    trial: Type.Optional(
      Type.Union([Type.Literal('starting'), Type.Literal('running')], {
        description: 'The live version is new: if it fails, the previous one takes its place.',
      }),
    ),
    rolledBack: Type.Optional(
      Type.Object(
        { version: Type.String(), reason: Type.String(), at: Type.Integer({ description: 'Epoch milliseconds.' }) },
        { additionalProperties: false, description: 'The version that was live before, and why it no longer is.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'For plugins from npm: what is installed, what was accepted, and what waits for a review.',
  },
)
export type PluginPackage = Static<typeof PluginPackage>

const PluginDevelopment = Type.Object(
  {
    sentAt: Type.Integer({ description: 'Epoch milliseconds of the version that is live.' }),
    asks: Type.Array(Type.String(), { description: 'What was accepted.' }),
    before: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
      description: 'The entry that this one stands in for; null if there was none. It returns at the end.',
    }),
    switchedOff: Type.Array(Type.String(), {
      description: 'Plugins that provide the same, and are switched on again at the end.',
    }),
  },
  { additionalProperties: false, description: 'A version that its author sent to this service, to work on it.' },
)

export const RegistryEntry = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$' }),
    source: Type.Optional(
      Type.String({
        description:
          'A folder (relative to the registry file) or npm:<package>. May be left out where an entry only overrides enabled.',
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
    formerly: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$' }), {
        description:
          'Ids of plugins that became part of this one: it gets the requests that are kept for them, and entries that only override them have no effect.',
      }),
    ),
    integrity: Type.Optional(
      Type.String({
        pattern: '^sha256-[A-Za-z0-9+/=]+$',
        description: 'Over the manifest and all sources; a mismatch blocks the plugin.',
      }),
    ),
    package: Type.Optional(PluginPackage),
    development: Type.Optional(PluginDevelopment),
  },
  { additionalProperties: false },
)
export type RegistryEntry = Static<typeof RegistryEntry>

export const PluginRegistry = Type.Object(
  { $schema: Type.Optional(Type.String()), version: Type.Literal(1), plugins: Type.Array(RegistryEntry) },
  { additionalProperties: false, title: 'Playhead plugin registry' },
)
export type PluginRegistry = Static<typeof PluginRegistry>
