/** Stands for a route's name where there is none. A path would do, but there are as many of them as there are visitors. */
export const NO_ROUTE = '(no route)'
