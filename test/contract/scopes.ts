// The scope of every route, stated independently by purpose, so that a wrong declaration is found.
import type { ContractRoute } from './table.ts'

export const LADDER = ['read', 'run', 'write', 'admin'] as const
export type Scope = (typeof LADDER)[number] | 'session'

/** Settings, accounts and their credentials, plugins, tokens, and everything that returns a secret. */
const ADMIN = [
  /^\w+ \/api\/(config|plugins|plugin-packages|plugin-folders|plugin-development|directory|tokens|sign-in-links|ui\/tls|app-auth)(?![\w-])/,
  /^GET \/api\/(scrobbler\/overview|backups\/download)$/,
  /^(POST|PUT|DELETE) \/api\/(provider-instances|auth\/sign-in|scrobbler\/(webhooks|routes|settings)|notifications\/targets)/,
  /^\w+ \/api\/connections\/:provider\/:instance\/(people|confirm-user)$/,
  // Sign-in of services, and requests to a server whose address was just entered.
  /^(POST|DELETE) \/api\/(media[ABC]|track[AB]|animeA|metaA|metaA_sync|metaB|listA|tvA|statsA)\//,
  /^GET \/api\/media[ABC]\/(inspect|libraries|users|pickusers|pms|pms\/probe|server_uuid|quickconnect\/\w+)$/,
  /^GET \/api\/(metaA_sync\/verify|tvA\/profiles|statsA\/status)$/,
  // A plan shows addresses of webhooks.
  /^POST \/api\/recipes\//,
  /^POST \/api\/(backups\/restore|maintenance\/(reset-all-default|restart|repair|support-bundle|actions\/:action))$/,
]
const RUN = [
  /^POST \/api\/run(\/cancel|\/:run_id\/undo)?$/,
  /^POST \/api\/scheduling\/\w+$/,
  /^POST \/api\/watch\//,
  /^POST \/api\/playlists\/(endpoints\/.*\/sync|mappings\/.*\/(preview|run))$/,
]
/** They change nothing although they are not GET requests. */
const READ = [
  /^GET \/api\/tokens\/current$/,
  /^POST \/api\/(metadata\/(resolve|bulk)|export\/file|analyzer\/suggest|playlists\/rulesets\/validate)$/,
]
/** A person's own session and account. */
const SESSION = [/^POST \/api\/app-auth\/(credentials|logout-others|mediaA\/link\/\w+|mediaA\/unlink)$/]

export const nameOf = ({ method, path }: ContractRoute) => `${method} ${path}`
/** The scope that an API token needs for the route. */
export function expectedScope(route: ContractRoute): Scope {
  const is = (rules: readonly RegExp[]) => rules.some((rule) => rule.test(nameOf(route)))
  if (is(SESSION)) return 'session'
  if (is(READ)) return 'read'
  if (is(ADMIN)) return 'admin'
  if (is(RUN)) return 'run'
  return route.method === 'GET' ? 'read' : 'write'
}
