// A form from a JSON schema, loaded on first use.
import { Suspense } from 'react'
import { lazyPart } from '../page/lazy-part.ts'
import { Loading } from '../page/loading.tsx'
import type { SchemaFormProps } from './form.tsx'

export type { SchemaFormProps } from './form.tsx'

const Form = lazyPart(() => import('./form.tsx'))

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Loading rows={3} />}>
      <Form {...props} />
    </Suspense>
  )
}
