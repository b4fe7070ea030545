@_exported public import AnnexBrokerAPI
// One `import AnnexHost` gives a host's author all types of the model and of the broker's answers.
@_exported public import AnnexModel
