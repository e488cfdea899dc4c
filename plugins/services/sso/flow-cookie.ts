// The cookie that ties a sign-in to the browser that started it: limited to these routes, and not readable by scripts.
import { FLOW_LIFE_MS } from './flows.ts'

const NAME = 'svc_mediaA_flow'
// 24 bytes as base64url.
const VALUE = new RegExp(`(?:^|;\\s*)${NAME}=([A-Za-z0-9_-]{32})(?:;|$)`)

export function readFlowCookie(header: string | undefined): string | undefined {
  return header === undefined ? undefined : VALUE.exec(header)?.[1]
}

export function flowCookie(nonce: string, secure: boolean): string {
  return `${NAME}=${nonce}; ${attributes(secure)}; Max-Age=${FLOW_LIFE_MS / 1_000}`
}

export function clearedFlowCookie(secure: boolean): string {
  return `${NAME}=; ${attributes(secure)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}

function attributes(secure: boolean): string {
  return `Path=/api/app-auth/mediaA; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
