import { index, route } from '@react-router/dev/routes'

export default [
  index('pages/home.jsx'),
  route('list', 'pages/list.jsx'),
  route('item/:id', 'pages/item.jsx'),
  route('rows', 'pages/rows.jsx'),
  route('deep', 'pages/deep.jsx'),
  route('form', 'pages/form.jsx'),
  route('suspend', 'pages/report.jsx', { id: 'suspend' }),
  route('stream', 'pages/report.jsx', { id: 'stream' })
]
