pub mod call;
