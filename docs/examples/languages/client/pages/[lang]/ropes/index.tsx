import { useFormatter, useTranslations } from 'use-intl'
import type { Ctx, PageProps } from '@hull/shell/client'
import { LANGUAGES, translate } from '../../../messages/index.ts'

export const layout = 'language'

export const sitemap = () => LANGUAGES.map((language) => ({ path: `/${language}/ropes` }))

const ROPES = [
  { name: 'Dyneema', price: 1234.5, since: new Date('2026-03-01T23:30:00Z') },
  { name: 'Hemp', price: 2.8, since: new Date('2025-12-31T12:00:00Z') }
]

export const getData = ({ search }: Ctx) => ({ ropes: ROPES, count: Number(search.get('count') ?? ROPES.length) })

export const getMeta = ({ params }: Ctx<'/[lang]'>) => ({ title: translate(params.lang, 'Site')('ropes') })

export default function RopesPage({ data: { ropes, count } }: PageProps<typeof getData>) {
  const t = useTranslations('Ropes')
  const format = useFormatter()
  return (
    <>
      <h1>{t('inStock', { count })}</h1>
      <ul>
        {ropes.map(({ name, price, since }) => (
          <li key={name}>
            {t('line', {
              name,
              price: format.number(price, { style: 'currency', currency: 'EUR' }),
              since: format.dateTime(since, { dateStyle: 'long' })
            })}
          </li>
        ))}
      </ul>
    </>
  )
}
