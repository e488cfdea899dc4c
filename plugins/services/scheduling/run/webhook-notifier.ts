// Sends the scheduling's webhooks through the notifications service, which retries failed messages and lists them in its log.
import { type Notifier, PlayheadError } from '@playhead/sdk'
import type { Webhooks } from '../settings.ts'
import {
  addressOf,
  deliverWebhook,
  type SenderDependencies,
  type WebhookEvent,
  type WebhookPayload,
} from './webhooks.ts'

export const WEBHOOK_NOTIFIER = 'scheduling'
const EVENTS = ['start', 'success', 'failure'] as const
const STATUSES = { start: 'started', success: 'ok', failure: 'failed' } as const

export function targetOf(event: WebhookEvent): { readonly id: string; readonly name: string } {
  return { id: `${WEBHOOK_NOTIFIER}-${event}`, name: `Webhook of the scheduling (${event})` }
}

export function createWebhookNotifier(dependencies: SenderDependencies, webhooks: () => Webhooks): Notifier {
  return {
    describe: () => ({ id: WEBHOOK_NOTIFIER, label: 'Webhooks of the scheduling', settings: {}, fixed: true }),
    targets: () =>
      EVENTS.filter((event) => addressOf(webhooks(), event) !== undefined).map((event) => ({
        ...targetOf(event),
        enabled: webhooks().enabled,
        settings: {},
      })),
    save: async () => {
      throw new PlayheadError('PLH_UNSUPPORTED', 'The webhooks are in the settings of the scheduling.')
    },
    remove: async () => false,
    async send(targetId, message, signal) {
      const event = EVENTS.find((one) => targetOf(one).id === targetId)
      if (event === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'This webhook does not exist.')
      // A test message has no run.
      const payload = (message.data as WebhookPayload | undefined) ?? { event, status: STATUSES[event], run_id: 'test' }
      await deliverWebhook(dependencies, webhooks(), payload, signal)
    },
  }
}
