// Lists of accounts in the form that runs read and change.
import type {
  AccountName,
  List,
  ListName,
  ListProvider,
  ListRead,
  NewAccountList,
  ProviderDescription,
  Remote,
} from '@playhead/sdk'

export interface ListAccount extends AccountName {
  readonly uid: string
  readonly description: ProviderDescription
  readonly api: Remote<ListProvider>
}

export interface ListReading {
  account(name: AccountName): Promise<ListAccount>
  all(name: AccountName, signal?: AbortSignal): Promise<readonly List[]>
  /** Reads the list and stores the read. */
  read(name: ListName, signal?: AbortSignal): Promise<ListRead>
  last(name: ListName): Promise<ListRead | null>
  create(request: NewAccountList): Promise<List>
}
