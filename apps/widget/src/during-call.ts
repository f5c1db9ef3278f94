// What a page needs from its first call on, in one file.
export { Call } from './call.ts';
export { default as styles } from './conversation.css?inline';
export { conversationView } from './views/conversation-view.ts';
