// What a page needs from its first look at call-backs on, in one file.

export { default as styles } from './callback.css?inline';
export { Callback } from './callback.ts';
export { callbackView } from './views/callback-view.ts';
