// @playhead/sdk/notifier: channels of notifications.
export type * from './contract.ts'
export {
  defineNotifier,
  type NotifierDefinition,
  type NotifierDelivery,
  type NotifierRequest,
} from './define-notifier.ts'
