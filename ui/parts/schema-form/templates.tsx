// What is needed first stands first; what only tunes a service is folded.
import { Text } from '@mantine/core'
import { Theme } from '@rjsf/mantine'
import type { ObjectFieldTemplateProps, RJSFSchema } from '@rjsf/utils'
import type { ComponentType } from 'react'
import { parts } from '../../texts/en/parts.ts'

type Props = ObjectFieldTemplateProps<unknown, RJSFSchema>
const Plain = (Theme.templates as { readonly ObjectFieldTemplate: ComponentType<Props> }).ObjectFieldTemplate

/**
 * What profiles take over from the first one, unless it names an application; and addresses that are right as they are.
 */
function isTuning({ inherit, type, default: value }: RJSFSchema): boolean {
  return type === 'string' ? String(value ?? '').startsWith('http') : inherit === true
}

function ObjectFieldTemplate(props: Props) {
  const { properties, schema, errorSchema } = props
  const names = new Set(
    properties.flatMap(({ name, hidden }) => {
      const field = schema.properties?.[name]
      return !hidden && typeof field === 'object' && isTuning(field) ? [name] : []
    }),
  )
  const first = properties.filter(({ name }) => !names.has(name))
  const rest = properties.filter(({ name }) => names.has(name))
  if (rest.length === 0 || first.every(({ hidden }) => hidden)) return <Plain {...props} />
  return (
    <>
      <Plain {...props} properties={first} />
      <details className="more-fields" open={rest.some(({ name }) => errorSchema?.[name as never] !== undefined)}>
        <summary>
          <Text span fw={500}>
            {parts.form.advanced}
          </Text>
        </summary>
        <Plain
          {...props}
          title=""
          description=""
          schema={{ ...schema, additionalProperties: false }}
          fieldPathId={{ ...props.fieldPathId, $id: `${props.fieldPathId.$id}__advanced` }}
          properties={rest}
        />
      </details>
    </>
  )
}

export const templates = { ObjectFieldTemplate }
