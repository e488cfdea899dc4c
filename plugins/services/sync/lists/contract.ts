// Lists of accounts in the form that runs read and change.
import type { AccountName, ListProvider, ListService, ProviderDescription, Remote } from '@playhead/sdk'

export interface ListAccount extends AccountName {
  readonly uid: string
  readonly description: ProviderDescription
  readonly api: Remote<ListProvider>
}

export interface ListReading extends Pick<ListService, 'all' | 'read' | 'last' | 'create'> {
  account(name: AccountName): Promise<ListAccount>
}
