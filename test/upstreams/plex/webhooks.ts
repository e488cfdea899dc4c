// Webhooks in the format of the media server: multipart, the JSON in the part `payload`, a poster in the part `thumb`. Failures
// are not retried.
import { itemRow } from './rows.ts'
import type { Account, Item, PlexState, Session } from './state.ts'
import { present, type Row } from './wire.ts'

export interface Delivery {
  readonly event: string
  /** 0 without a response. */
  readonly status: number
  readonly answer: string
}

export interface Webhooks {
  add(url: string): void
  readonly deliveries: readonly Delivery[]
  /** Resolves when the receivers have answered. */
  send(event: string, account: Account, item: Item, more?: WebhookDetails): Promise<void>
}

export interface WebhookDetails {
  readonly session?: Session
  /** Overrides fields of the item row; undefined values are omitted. */
  readonly row?: Row
}

// The shortest JPEG that viewers accept.
const THUMB = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')
const BOUNDARY = '------------------------7f3a9b21'

export function createWebhooks(state: PlexState): Webhooks {
  const urls: string[] = []
  const deliveries: Delivery[] = []

  async function deliver(url: string, event: string, body: Buffer): Promise<void> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'user-agent': 'PlexMediaServer/1.42' },
        body: new Uint8Array(body),
      })
      deliveries.push({ event, status: answer.status, answer: await answer.text() })
    } catch {
      deliveries.push({ event, status: 0, answer: '' })
    }
  }

  return {
    add: (url) => void urls.push(url),
    deliveries,
    async send(event, account, item, { session, row = {} } = {}) {
      const section = state.sections.find(({ key }) => key === item.sectionKey)
      const payload = {
        event,
        // True for the account that created the webhook: the owner.
        user: account.role === 'owner',
        owner: true,
        Account: {
          id: account.localId,
          thumb: `https://plex.tv/users/${account.uuid}/avatar?c=1`,
          title: account.title,
        },
        Server: { title: 'Attic', uuid: state.machineIdentifier },
        Player: {
          local: true,
          publicAddress: '203.0.113.7',
          title: session?.device ?? 'Plex Web',
          uuid: session?.clientIdentifier ?? 'player-web',
        },
        Metadata: present({ librarySectionType: section?.type, ...itemRow(state, account, item, true), ...row }),
      }
      const body = Buffer.concat([
        part('name="payload"', 'application/json', Buffer.from(JSON.stringify(payload))),
        part('name="thumb"; filename="thumb.jpg"', 'image/jpeg', THUMB),
        Buffer.from(`--${BOUNDARY}--\r\n`),
      ])
      await Promise.all(urls.map((url) => deliver(url, event, body)))
    },
  }
}

function part(name: string, type: string, content: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; ${name}\r\nContent-Type: ${type}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}
